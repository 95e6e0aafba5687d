/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring.c - an MPI program that passes a token around the ring of its ranks
 *
 * Each rank adds the node it is on; rank 0 prints them in the order in which the
 * token came by. That is the order of the gang's ring if the ranks stand in it.
 */

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN_MAX 65536

/* A node by Slurm's name; outside of Slurm by its own. */
static void add_node(char token[TOKEN_MAX])
{
	const char *node = getenv("SLURMD_NODENAME");
	char own[MPI_MAX_PROCESSOR_NAME];
	size_t used = strlen(token);
	int length;

	if (!node) {
		MPI_Get_processor_name(own, &length);
		node = own;
	}
	snprintf(token + used, TOKEN_MAX - used, "%s%s", used ? " " : "",
		 node);
}

int main(int argc, char **argv)
{
	static char token[TOKEN_MAX];
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank)
		MPI_Recv(token, TOKEN_MAX, MPI_CHAR, rank - 1, 0,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	add_node(token);
	if (size > 1)
		MPI_Send(token, TOKEN_MAX, MPI_CHAR, (rank + 1) % size, 0,
			 MPI_COMM_WORLD);
	if (!rank && size > 1)
		MPI_Recv(token, TOKEN_MAX, MPI_CHAR, size - 1, 0,
			 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (!rank)
		puts(token);
	MPI_Finalize();
	return 0;
}
