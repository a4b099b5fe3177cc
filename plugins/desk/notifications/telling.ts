/** What it takes to tell people of something: the same in a hook, and in a listener on behalf of whoever wrote. */
import type { Change, Json, JsonObject, ListenerContext, Transaction } from '../../../engine/index.ts'

export interface Telling
  extends Pick<
    ListenerContext,
    'actorsOf' | 'catalog' | 'enqueue' | 'logWrites' | 'now' | 'options' | 'readable' | 'settings'
  > {
  /** Who did it. */
  readonly caller: { readonly id: number | null }
  /** Whether it was one of many, as of an import. */
  readonly bulk: boolean
  readonly transaction: Transaction
  /** Takes rows of people's lists that are written together with others; undefined: each is written at once. */
  readonly list?: (rows: readonly ListRow[]) => void
  /** Takes a sentence on somebody who is told, or is not; undefined where nobody asks. */
  readonly explained?: (line: string) => void
}

/** A row of a person's list. */
export interface ListRow {
  readonly user_id: number
  readonly type: string
  readonly title: string
  readonly message: string
  readonly data: JsonObject
}

/** What is told of one change, before it is written. */
export interface Told {
  readonly rows: ListRow[]
  readonly jobs: { readonly name: string; readonly payload: JsonObject }[]
}

/** Tells on behalf of whoever made a change, into `told`. */
export function tellingOf(context: ListenerContext, { actorId, bulk }: Change, told: Told): Telling {
  const { actorsOf, catalog, logWrites, now, options, readable, settings, transaction } = context
  const enqueue: Telling['enqueue'] = async (name, payload) => {
    told.jobs.push({ name, payload })
    return ''
  }
  const list = (rows: readonly ListRow[]): void => void told.rows.push(...rows)
  const inner = { actorsOf, catalog, enqueue, list, logWrites, now, options, readable, settings, transaction }
  return { ...inner, caller: { id: actorId }, bulk }
}

/** The value that a change gave a field; undefined when it gave it none. */
export function valueIn({ fields }: Change, name: string): Json | undefined {
  return fields.find(({ field }) => field === name)?.to
}

/** Those of the changed records that are still there: of what is gone by now nobody is told. */
export async function presentIn(
  { catalog, readable, transaction }: ListenerContext,
  changes: readonly Change[],
): Promise<(change: Change) => boolean> {
  const present = new Map<string, ReadonlySet<number>>()
  for (const name of new Set(changes.map(({ resource }) => resource))) {
    const ids = changes.filter(({ resource }) => resource === name).map(({ recordId }) => recordId)
    const values: unknown[] = [[...new Set(ids)]]
    const within = readable(name, 't', values)
    const text = `select t.id from "${catalog.resources.get(name)!.table}" t where t.id = any($1::int[]) and ${within}`
    present.set(name, new Set((await transaction.run({ text }, values)).map(([id]) => Number(id))))
  }
  return ({ recordId, resource }) => present.get(resource)?.has(Number(recordId)) ?? false
}
