/** What names a record: a whole number, or a text where its ids are larger numbers, UUIDs or words. */
export type Id = number | string
