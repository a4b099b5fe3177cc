/** The keys under which files are stored: words between slashes, which lead nowhere else on a disk. */

/** Whether a text is one. No part is empty, `.` or `..`, so that a key is neither absolute nor leads upward; and none has a backslash or a control. */
export function isStorageKey(key: string): boolean {
  return key.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\p{Cc}]/u.test(part))
}

/** Throws a sentence for a text that is none. */
export function requireStorageKey(key: string): void {
  if (isStorageKey(key)) return
  throw new Error(
    `${JSON.stringify(key)} is no key of a stored file: it has an empty part, a "..", a backslash or a control character.`,
  )
}
