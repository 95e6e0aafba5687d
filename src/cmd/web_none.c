/* SPDX-License-Identifier: GPL-2.0-or-later */
/* web_none.c - sgang web in a build without libmicrohttpd: there is none */

#include <errno.h>

#include "cmd/web.h"

int sgang_web_serve(const struct sgang_web *web, struct sgang_error *err)
{
	(void)web;
	return sgang_errf(err, ENOTSUP,
			  "this sgang was built without libmicrohttpd, which "
			  "sgang web needs");
}
