/**
 * Turns errors of files into errors of the API: those that an operator can mend are `unavailable`; others stay as they
 * are.
 */
import { ApiError } from '../error.ts'

/** Seconds in which people free room, or a volume is back. */
const RETRY_AFTER = 10

/**
 * Full, over a quota or a bound, read-only, failing, closed to this user, out of file descriptors, or a volume that has
 * gone.
 */
const PASSING =
  /^(ENOSPC|EDQUOT|EFBIG|EROFS|EIO|EACCES|EPERM|EMFILE|ENFILE|ESTALE|ENODEV|ENXIO|ENOTDIR|ENOTCONN|ENOTEMPTY|ENOMEM)$/
/** Calls of sockets, which have their own codes. */
const OF_SOCKETS = /^(connect|bind|listen|accept|getaddrinfo|spawn)/

/** The 503 of a file system that cannot be used, made of the system's error; undefined for any other error. */
export function diskFailure(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) {
    return error.code === 'unavailable' && diskFailure(error.params.cause) !== undefined ? error : undefined
  }
  if (!(error instanceof Error)) return undefined
  const { code, syscall } = error as NodeJS.ErrnoException
  if (code === undefined || syscall === undefined || !PASSING.test(code) || OF_SOCKETS.test(syscall)) return undefined
  return new ApiError('unavailable', { retryAfter: RETRY_AFTER, cause: error })
}

/** The 503 for a file that is shorter on the disk than its written bytes, although no write failed. */
export function shortFile(path: string, written: number, found: number): ApiError {
  const reason = `${path} has ${found} bytes of the ${written} that were written`
  const cause = Object.assign(new Error(reason), { code: 'EIO', syscall: 'write' })
  return new ApiError('unavailable', { retryAfter: RETRY_AFTER, cause })
}
