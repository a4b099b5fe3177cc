/** How much the database's indexes hold. */

/** A btree entry has room for about 2,700 bytes, and a character takes up to four; longer values would make writes fail. */
export const INDEXED_CHARACTERS = 600

/** An index has at most so many columns. */
export const INDEXED_FIELDS = 32
