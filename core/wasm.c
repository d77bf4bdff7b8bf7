/* For WebAssembly only: the functions that its C library would import from the host. With these,
 * the module imports nothing. They are only reached by output to files, which the core does not
 * have, so each fails as for a file that is not open. */
#include <stdint.h>

int32_t __imported_wasi_snapshot_preview1_fd_close(int32_t file);
int32_t __imported_wasi_snapshot_preview1_fd_seek(int32_t file, int64_t offset, int32_t whence,
                                                  int32_t result);
int32_t __imported_wasi_snapshot_preview1_fd_write(int32_t file, int32_t vectors, int32_t count,
                                                   int32_t written);

enum { BAD_FILE = 8 }; /* WASI's errno badf */

int32_t __imported_wasi_snapshot_preview1_fd_close(int32_t file)
{
    (void)file;
    return BAD_FILE;
}

int32_t __imported_wasi_snapshot_preview1_fd_seek(int32_t file, int64_t offset, int32_t whence,
                                                  int32_t result)
{
    (void)file, (void)offset, (void)whence, (void)result;
    return BAD_FILE;
}

int32_t __imported_wasi_snapshot_preview1_fd_write(int32_t file, int32_t vectors, int32_t count,
                                                   int32_t written)
{
    (void)file, (void)vectors, (void)count, (void)written;
    return BAD_FILE;
}
