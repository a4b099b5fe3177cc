/** A text with a name, and places in it: offsets first, lines and columns only when a person looks. */

/** A text an author wrote; `file` is the path shown to people, relative to where they work. */
export interface Source {
  readonly file: string
  readonly text: string
}

/** A half-open range of character offsets in one source. */
export interface Span {
  readonly source: Source
  readonly start: number
  readonly end: number
}

/** Gives the source that was read before where it has the same text: what was made of it is known. */
export function unchanged(before: readonly Source[]): (source: Source) => Source {
  const known = new Map(before.map((source) => [source.file, source]))
  return (source) => {
    const last = known.get(source.file)
    return last?.text === source.text ? last : source
  }
}

/** Line and column, both counted from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** The line and column of an offset; offsets past the end give the last position. */
export function position(source: Source, offset: number): Position {
  const before = source.text.slice(0, offset)
  const line = before.split('\n').length
  return { line, column: before.length - before.lastIndexOf('\n') }
}

/** `tickets.yaml:12:3`. */
export function placeOf({ source, start }: Span): string {
  const { line, column } = position(source, start)
  return `${source.file}:${line}:${column}`
}

/** The text of a place, on one line. */
export function writtenAt({ source, start, end }: Span): string {
  return source.text.slice(start, end).replace(/\s+/g, ' ')
}

/** The text of an entry whose key has this place: its line, and those below that are written further in; on one line. */
export function entryAt({ source, start }: Span): string {
  const column = start - (source.text.lastIndexOf('\n', start - 1) + 1)
  const [first = '', ...below] = source.text.slice(start).split('\n')
  const end = below.findIndex((line) => line.trim() !== '' && line.search(/\S/) <= column)
  const lines = [first, ...(end === -1 ? below : below.slice(0, end))]
  return lines.join(' ').replace(/\s+/g, ' ').trim()
}
