/* SPDX-License-Identifier: GPL-2.0-or-later */
/* answer.h - the answer of a verb, printed as text, JSON or YAML
 *
 * A verb makes one object of json-c (json.h has what it needs for that). Its
 * text is printed by a form, a text in which these stand for what the object
 * holds:
 *
 *   {key}         the value: yes or no for a bool, "a,b" for a list
 *   {key.member}  of a list of objects the values of this member, "a,b"
 *   {key|word}    the word instead of "(null)" where nothing is known
 *   {key%x}       by the letter x:  t a time  d a duration  g four digits
 *                 n how many are in the list  f its node names as a host list
 *                 s "s" unless the number is 1  : an object as "a:1,b:2"
 *                 = the same as "a=1,b=2"  r numbers as "0-3,8"
 *                 + itself, but 0 is not known  - nothing
 *                 ? itself, need not be known in [...]
 *                 w lines of words, each below the first
 *   [...]         left out unless all keys in it are known
 *   <key|...>     for each object of the list, with the object's own keys and
 *                 {#}, its number from 0 on; or for the one object that it is
 *
 * Null, "", an empty list and a missing key are not known. A word "Key={key}" of
 * which nothing is known is left out, and so is a line of such words alone. Text
 * from elsewhere is part of a line and has no effect on the terminal.
 */

#ifndef SGANG_ANSWER_H
#define SGANG_ANSWER_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* From now on answers are JSON or, false, as at first, text. */
void sgang_answer_use_json(bool json);
/* ... are YAML where they would be JSON. */
void sgang_answer_use_yaml(void);
bool sgang_answer_is_text(void);

/* Of the format that doc/formats/sgang.schema.json describes: the first number
 * changes when a reader of before would be misled, the second when there is
 * more. */
#define SGANG_ANSWER_VERSION "1.1"

/* The answers are to this command ("topology show"), a text that stays. */
void sgang_answer_of(const char *name);

/* Print 'object' on stdout and drop it: by 'form', or as one line of JSON, or as
 * a document of YAML. An object then has "meta" as well: command, version of
 * the format, release. Bytes of its texts that are no UTF-8 become U+FFFD.
 * 'form' may be NULL where the answer is no text. */
void sgang_answer_print(struct json_object *object, const char *form);

/* The same of an object that is a line among many: without "meta". Not for
 * text. */
void sgang_answer_line(struct json_object *object);

/* Write 'object' by 'form'. */
void sgang_answer_text(struct json_object *object, const char *form, FILE *out);

/* True if memory ran out before all of an answer was printed. A message has
 * reported it. */
bool sgang_answer_is_cut(void);

/* A time as Slurm writes it, "(null)" for 0, into 'text', which is returned. */
#define SGANG_ANSWER_TIME 32
const char *sgang_answer_time(int64_t when, char text[SGANG_ANSWER_TIME]);

#endif
