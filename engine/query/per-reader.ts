/** One statement for several readers: what differs between them comes from a row for each, instead of a parameter. */
import { type Fragment, join, type Parameter, type Sql, slot, sql } from '../filter/sql.ts'

/** The alias of a reader's row; its column `n` is the reader's number. */
export const READER = 'plinth_reader'

/** Readers as rows of a statement. */
export interface PerReader {
  /** The piece with what differs between readers taken from the reader's row, or from that of another alias that holds it. */
  of(piece: Fragment, alias?: string): Sql
  /** The rows of all readers: slots `reader_n`, `reader_0`, `reader_1` …, a text for each reader. To be asked for last. */
  rows(): Sql
  /** What each reader brings along, in the order of those slots. */
  readonly brought: readonly Parameter[]
}

/** The slot with the numbers of the readers, and that of what they bring along at a place. */
export const READERS = 'reader_n'
export const broughtSlot = (at: number): string => `reader_${at}`

function isOfActor({ kind }: Parameter): boolean {
  return kind === 'actor'
}

/** Makes columns of what readers bring along: what belongs to the caller, or what `differs` says. */
export function perReader(differs: (parameter: Parameter) => boolean = isOfActor): PerReader {
  const brought: Parameter[] = []
  const places = new Map<string, number>()
  const placeOf = (parameter: Parameter): number => {
    const key = JSON.stringify(parameter)
    const place = places.get(key) ?? brought.push(parameter) - 1
    places.set(key, place)
    return place
  }
  return {
    brought,
    of: (piece, alias = READER) => ({
      parts: sql`${piece}`.parts.map((part) =>
        typeof part === 'string' || !differs(part) ? part : `${alias}.p${placeOf(part)}`,
      ),
    }),
    rows: () => {
      const lists = [sql`${slot(READERS)}::integer[]`, ...brought.map((_, at) => sql`${slot(broughtSlot(at))}::text[]`)]
      const names = ['n', ...brought.map((_, at) => `p${at}`)]
      return sql`unnest(${join(lists)}) as ${READER}(${names.join(', ')})`
    },
  }
}
