/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wake.c - wake the conductor's thread */

#include <pthread.h>

#include "conductor_private.h"

void sgang_conductor_poke(struct sgang_conductor *c)
{
	pthread_mutex_lock(&c->poke.mutex);
	c->poke.any = true;
	pthread_cond_signal(&c->poke.cond);
	pthread_mutex_unlock(&c->poke.mutex);
}
