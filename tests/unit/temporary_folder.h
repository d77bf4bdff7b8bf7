/* A temporary folder for the unit tests of one group. It is made below TMPDIR (/tmp without it)
 * when it is first asked for, and removed with all that is in it by the tear-down of a test, so
 * that each test finds an empty folder, or else when the process ends. For one thread. */
#ifndef TERRANE_TESTS_TEMPORARY_FOLDER_H
#define TERRANE_TESTS_TEMPORARY_FOLDER_H

/* Its path, without a slash at the end. It is valid until the folder is removed. */
const char *temporary_folder(void);

/* The path of a file in it, whose name is printed as by printf. It is valid until the folder is
 * removed. */
__attribute__((format(printf, 1, 2))) const char *temporary_path(const char *format, ...);

/* A tear-down for cmocka: 0, or -1 if something in the folder could not be removed. */
int temporary_folder_remove(void **state);

#endif
