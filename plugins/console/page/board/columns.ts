/** The columns of a board: the words of an enum or the records of a relation, and where a card may go. */
import { type Answer, ask, canIn, rowsIn } from '../client/api.ts'
import { useAnswer } from '../client/asking.ts'
import {
  type Can,
  type Catalog,
  idOf,
  isRecord,
  type Json,
  type RecordData,
  type Resource,
  titleOf,
} from '../client/catalog.ts'
import { wordText } from '../format.tsx'

export interface BoardColumn {
  /** The word, or the id of the record, as text. */
  readonly key: string
  readonly label: string
  /** What a body has for it. */
  readonly value: Json
  /** The word that moves speak of. */
  readonly word: string
}

export interface BoardColumns {
  /** The key of a body that moves a card. */
  readonly field: string
  readonly columns: readonly BoardColumn[] | undefined
  readonly failure: string | undefined
  again(): void
  /** The key of the column of a card. */
  of(card: RecordData): string
}

const MOST = 100

/** The columns by a field or relation. */
export function useColumns(catalog: Catalog, resource: Resource, by: string): BoardColumns {
  const relation = resource.relations[by]
  const target = relation?.to === undefined ? undefined : catalog.resources[relation.to]
  const isListed = target?.actions.includes('list') === true
  const { again, answer, failure } = useAnswer(isListed ? `${target.path}?per_page=${MOST}` : undefined)
  if (relation === undefined) {
    const { schema, values } = resource.fields[by] ?? {}
    const columns = (schema?.enum ?? []).flatMap((word): BoardColumn[] =>
      typeof word === 'string' ? [{ key: word, label: wordText(word, values), value: word, word }] : [],
    )
    return { field: by, columns, failure: undefined, again, of: (card) => String(card[by] ?? '') }
  }
  const named = resource.moves[by]?.by
  const rows = answer === undefined ? undefined : rowsIn(answer)
  const columns = rows?.map((row): BoardColumn => {
    const word = named === undefined ? idOf(row) : String(row[named] ?? '')
    return {
      key: idOf(row),
      label: target === undefined ? idOf(row) : titleOf(target, row),
      value: row.id ?? null,
      word,
    }
  })
  const order = resource.moves[by]?.words ?? []
  columns?.sort((a, b) => order.indexOf(a.word) - order.indexOf(b.word))
  const field = relation.field ?? by
  const of = (card: RecordData): string => {
    const part = card[by]
    return isRecord(part) ? idOf(part) : String(card[field] ?? '')
  }
  return { field, columns, failure, again, of }
}

/** A card that is about to be moved: its version, and what its reader may do to it. */
export interface Taken {
  readonly path: string
  readonly answer: Answer
  readonly can: Can | undefined
}

export async function take(resource: Resource, id: string, signal?: AbortSignal): Promise<Taken> {
  const path = `${resource.path}/${encodeURIComponent(id)}`
  const answer = await ask(path, { can: true, ...(signal === undefined ? {} : { signal }) })
  return { path, answer, can: canIn(answer) }
}

/** Whether a card may go to a column, as far as that is known before it is tried. */
export function mayGo(
  { can }: Taken,
  resource: Resource,
  by: string,
  field: string,
  from: BoardColumn | undefined,
  to: BoardColumn,
): boolean {
  if (can === undefined) return true
  if (!can.update.includes(field)) return false
  const words = can.moves?.[by]
  return resource.moves[by] === undefined || words === undefined || words.includes(to.word) || from?.word === to.word
}
