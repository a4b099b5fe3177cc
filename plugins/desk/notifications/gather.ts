/** Questions that are asked side by side for several changes, put to the database together. */
import type { Transaction } from '../../../engine/index.ts'

/** A question that can be put for many keys by one statement; the answers are in the order of the keys. */
export type Question<Key, Answer> = (transaction: Transaction, keys: readonly Key[]) => Promise<readonly Answer[]>

/** Asks for one key, together with all who ask in the same turn of the event loop and the same transaction. */
export function gathered<Key, Answer>(question: Question<Key, Answer>): (at: Transaction, key: Key) => Promise<Answer> {
  const waiting = new WeakMap<Transaction, { readonly keys: Key[]; readonly answers: Promise<readonly Answer[]> }>()
  const begin = (transaction: Transaction) => {
    const keys: Key[] = []
    const answers = new Promise<void>((turn) => setImmediate(turn)).then(() => {
      waiting.delete(transaction)
      return question(transaction, keys)
    })
    const made = { keys, answers }
    waiting.set(transaction, made)
    return made
  }
  return async (transaction, key) => {
    const { answers, keys } = waiting.get(transaction) ?? begin(transaction)
    const place = keys.push(key) - 1
    const answer = (await answers)[place]
    if (answer === undefined) throw new Error('a question has fewer answers than keys')
    return answer
  }
}

/** One row that is looked for, and which of its columns. */
interface Wanted {
  readonly table: string
  readonly columns: readonly string[]
  readonly id: number
}

type Row = Readonly<Record<string, unknown>>

/** Columns of a row by its id; null where there is none. */
export const rowById = gathered(async (transaction, keys: readonly Wanted[]): Promise<readonly (Row | null)[]> => {
  const rows = new Map<string, Row>()
  const kindOf = ({ columns, table }: Wanted): string => `"${['id', ...columns].join('", "')}" from "${table}"`
  for (const kind of new Set(keys.map(kindOf))) {
    const ids = keys.filter((key) => kindOf(key) === kind).map(({ id }) => id)
    const text = `select t.id, to_jsonb(t) from (select ${kind} where id = any($1::int[])) t`
    for (const [id, row] of await transaction.run({ text }, [[...new Set(ids)]]))
      rows.set(`${kind} ${id}`, JSON.parse(row ?? 'null'))
  }
  return keys.map((key) => rows.get(`${kindOf(key)} ${key.id}`) ?? null)
})
