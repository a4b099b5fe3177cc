/** Activities in words: the changes that a reader may see, names instead of ids, and a sentence for each. */
import {
  type Actor,
  allowsOne,
  type Field,
  type Id,
  idOf,
  idSql,
  idType,
  inSentence,
  type Json,
  type PluginContext,
  type Relation,
  type Resource,
} from '../../engine/index.ts'

/** A change as it is stored. */
export interface Change {
  readonly field: string
  readonly from: Json
  readonly to: Json
}

/** A change as it is shown; names take the place of ids. */
export interface ShownChange extends Change {
  readonly label: string
  readonly from_name?: string | null
  readonly to_name?: string | null
}

export type Action = 'created' | 'updated' | 'deleted' | 'restored'

/** The action of a row of the log, in words. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  restore: 'restored',
}

/** The reader of the words, and access to the records of ids. */
export type Reader = Pick<PluginContext, 'actor' | 'catalog' | 'database' | 'readable'>

/** The fields of a resource whose changes an actor may read: those that people write, not those that follow. */
export function readableFields(resource: Resource, actor: Actor): readonly string[] {
  const fields = [...resource.fields.values()].filter(
    (field) => (!field.readOnly || field.relation !== undefined) && mayRead(resource, field, actor),
  )
  return [...fields.map((field) => field.name), ...readableLinks(resource, actor).map(({ name }) => name)]
}

/** The many-to-many relations that an actor may read; the log says that links changed, and not which. */
function readableLinks({ relations }: Resource, actor: Actor): readonly Relation[] {
  return [...relations.values()].filter(
    ({ kind, read, show }) => kind === 'many_to_many' && show !== 'never' && allowsOne(read, actor),
  )
}

function mayRead(resource: Resource, field: Field, actor: Actor): boolean {
  const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
  if (field.show === 'never' || field.type.hidden === true) return false
  return allowsOne(field.read, actor) && allowsOne(relation?.read, actor)
}

/**
 * Changes with labels and with names of records that this reader may see, without changes that the reader may not; one
 * query for each resource referred to.
 */
export async function changesShown(
  reader: Reader,
  resource: Resource,
  lists: readonly (readonly Change[])[],
): Promise<readonly (readonly ShownChange[])[]> {
  const readable = new Set(readableFields(resource, reader.actor))
  const shown = lists.map((changes) => changes.filter((change) => readable.has(change.field)))
  const names = await namesBehind(reader, resource, shown.flat())
  return shown.map((changes) =>
    changes.map(({ field, from, to }) => {
      const known = names.get(targetOf(resource, field) ?? '')
      const label = labelOf(resource, field)
      if (known === undefined) return { field, label, from, to }
      const name = (id: Json) => (id === null ? null : (known.get(id as Id) ?? null))
      return { field, label, from, to, from_name: name(from), to_name: name(to) }
    }),
  )
}

function labelOf(resource: Resource, name: string): string {
  const field = resource.fields.get(name)
  const relation = resource.relations.get(field === undefined ? name : (field.relation ?? ''))
  return relation?.label ?? field?.label ?? name
}

/** The resource that a field refers to, where answers show the name of its record. */
function targetOf(resource: Resource, name: string): string | undefined {
  const relation = resource.relations.get(resource.fields.get(name)?.relation ?? '')
  return relation?.embed?.some((entry) => entry.name === 'name') ? relation.target : undefined
}

async function namesBehind(
  reader: Reader,
  resource: Resource,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, ReadonlyMap<Id, string>>> {
  const wanted = new Map<string, Set<Id>>()
  for (const { field, from, to } of changes) {
    const target = targetOf(resource, field)
    if (target === undefined) continue
    const ids = wanted.get(target) ?? new Set()
    for (const id of [from, to]) if (typeof id === 'number' || typeof id === 'string') ids.add(id)
    wanted.set(target, ids)
  }
  const found = new Map<string, ReadonlyMap<Id, string>>()
  for (const [target, ids] of wanted) found.set(target, await namesOf(reader, target, [...ids], 'seen'))
  return found
}

/**
 * Names of records by id, including deleted ones: `seen` has those that the reader may see, `all` those of people who
 * changed the reader's record. Empty where names are not for the reader, or not the same for everybody.
 */
export async function namesOf(
  { actor, catalog, database, readable }: Reader,
  name: string,
  ids: readonly Id[],
  which: 'seen' | 'all',
): Promise<ReadonlyMap<Id, string>> {
  const resource = catalog.resources.get(name)
  const field = resource?.fields.get('name')
  if (resource === undefined || field === undefined || ids.length === 0) return new Map()
  if (!mayRead(resource, field, actor)) return new Map()
  if (field.computed !== undefined && /\$|\{/.test(field.computed)) return new Map()
  const value = field.computed ?? `t."${field.column}"`
  const values: unknown[] = [[...new Set(ids)]]
  const seen = which === 'seen' ? readable(name, 't', values, { deleted: true }) : 'true'
  const id = idSql(resource, 't')
  const text = `select ${id}, ${value} from "${resource.table}" t where ${id} = any($1::${idType(resource)}[]) and ${seen}`
  const rows = await database.adhoc.run({ text }, values)
  return new Map(rows.map((row) => [idOf(resource, row[0]), row[1] ?? '']))
}

const SHORT = 80

/** `Status changed from Open to Pending`, `Subject and details changed`, `Ticket created`. */
export function describe(resource: Resource, action: Action, changes: readonly ShownChange[]): string {
  if (action !== 'updated') return `${resource.label} ${action}`
  const [only] = changes
  if (changes.length === 1 && only !== undefined && resource.fields.has(only.field)) {
    const [from, to] = [wordsOf(only.from, only.from_name), wordsOf(only.to, only.to_name)]
    if (from !== undefined && to !== undefined) return `${only.label} changed from ${from} to ${to}`
  }
  const labels = changes.map(({ label }, index) => (index === 0 ? label : inSentence(label)))
  return `${labels.length > 1 ? `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}` : labels[0]} changed`
}

/** A value in a sentence; undefined where it is too long, or an id that the reader may not see. */
function wordsOf(value: Json, name: string | null | undefined): string | undefined {
  if (value === null) return 'nothing'
  if (name !== undefined) return name ?? undefined
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length > SHORT || text.includes('\n') ? undefined : text
}
