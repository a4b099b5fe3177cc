/** What `plinth dump` and `plinth load` print about their work. */
import type { Dumped } from '../dump/dump.ts'
import type { Tally } from '../dump/format.ts'

function number(count: number, one: string): string {
  return `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`
}

/** `3 tables, 1,204 rows and 1 file`. */
export function tallied({ tables, rows, files }: Tally): string {
  return `${number(tables, 'table')}, ${number(rows, 'row')} and ${number(files, 'file')}`
}

/** A size for people: `3.2 MB`. */
export function bytesOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} bytes`
  return bytes < 1_000_000 ? `${(bytes / 1_000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

/** What stands in the dumped schema and is made by hand where it is loaded. */
export function notThere(objects: readonly string[]): string {
  return ['Not in the dump, and made by hand where it is loaded:', ...objects.map((one) => `  ${one}`)].join('\n')
}

/** What the dumped tables need of the database that they are loaded into. */
export function askedFor({ asked, extensions }: Pick<Dumped, 'asked' | 'extensions'>): readonly string[] {
  const listed = (head: string, of: readonly string[]) =>
    of.length === 0 ? [] : [[head, ...of.map((one) => `  ${one}`)].join('\n')]
  return [
    ...listed('No dump can make these. Make them by hand before the load:', asked),
    ...listed('The server that it is loaded into must have these extensions:', extensions),
  ]
}
