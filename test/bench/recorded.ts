/** Which statements reach PostgreSQL while something is done, with their parameters. */
import pg from 'pg'
import { parameter } from '../../engine/database/statement.ts'

export interface Recorded {
  readonly text: string
  /** As PostgreSQL reads them. */
  readonly values: readonly (string | null)[]
  /** Planned once for all values, as what has a name is. */
  readonly generic: boolean
}

/** What `query` of a pg client is called with: text, a configuration of Knex, or a statement of the engine's own. */
interface Asked {
  readonly text?: string
  readonly values?: readonly unknown[]
  readonly statement?: { readonly text: string; readonly name?: string }
}

let heard: ((statement: Recorded) => void) | undefined

const { query } = pg.Client.prototype
pg.Client.prototype.query = function (this: pg.Client, ...args: Parameters<typeof query>) {
  const given: unknown = args[0]
  if (heard !== undefined) {
    const asked = (typeof given === 'string' ? { text: given, values: args[1] } : given) as Asked
    const { text = asked.statement?.text ?? '', values } = asked
    const bound = (Array.isArray(values) ? values : []).map((value) => parameter(value)?.toString() ?? null)
    heard({ text, values: bound, generic: asked.statement?.name !== undefined })
  }
  return Reflect.apply(query, this, args)
} as typeof query

/** The statements of this process, on whatever connection, from the beginning of `work` to its end. */
export async function recorded(work: () => Promise<unknown>): Promise<readonly Recorded[]> {
  const found: Recorded[] = []
  heard = (statement) => void found.push(statement)
  try {
    await work()
  } finally {
    heard = undefined
  }
  return found
}
