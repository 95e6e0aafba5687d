/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tell_free.h - in the tests' plugin only: what is free, and what
 * would be without some jobs
 *
 * Lines "leave-out JOBID" of the file that SGANG_FAULT_FILE names (faults.h) say
 * which jobs; 0: none. FILE.now and FILE.without get all answers of struct
 * sgang_host about what is free, for each pending member of a gang. When those
 * jobs have ended the first must say what the second has said before. FILE.held
 * is the first with what those jobs have added to the amounts.
 */

#ifndef SGANG_TELL_FREE_H
#define SGANG_TELL_FREE_H

void sgang_tell_free(void);

#endif
