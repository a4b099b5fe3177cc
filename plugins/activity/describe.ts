/** Activities in words: the changes that a reader may see, the names behind their ids, and one sentence for each. */
import {
  type Actor,
  allowsOne,
  type Catalog,
  type Database,
  type Field,
  type Json,
  type Resource,
} from '../../engine/index.ts'

/** One change as it is stored. */
export interface Change {
  readonly field: string
  readonly from: Json
  readonly to: Json
}

/** One change as it is shown; the names stand where the values are ids of records that have one. */
export interface ShownChange extends Change {
  readonly label: string
  readonly from_name?: string | null
  readonly to_name?: string | null
}

export type Action = 'created' | 'updated' | 'deleted' | 'restored'

/** The fields of a resource whose changes an actor may read. */
export function readableFields(resource: Resource, actor: Actor): readonly string[] {
  const allowed = (read: Field['read']): boolean =>
    read === undefined || actor.kind === 'system' || allowsOne(read, actor)
  return [...resource.fields.values()]
    .filter((field) => {
      const relation = field.relation === undefined ? undefined : resource.relations.get(field.relation)
      return field.show !== 'never' && allowed(field.read) && allowed(relation?.read)
    })
    .map((field) => field.name)
}

/** Changes with their labels and names, without those that are not for this reader; one query for each resource referred to. */
export async function changesShown(
  { actor, catalog, database }: { readonly actor: Actor; readonly catalog: Catalog; readonly database: Database },
  resource: Resource,
  lists: readonly (readonly Change[])[],
): Promise<readonly (readonly ShownChange[])[]> {
  const readable = new Set(readableFields(resource, actor))
  const names = await namesBehind(catalog, database, resource, lists.flat())
  return lists.map((changes) =>
    changes
      .filter((change) => readable.has(change.field))
      .map((change) => {
        const { field, from, to } = change
        const known = names.get(targetOf(resource, field) ?? '')
        const label = labelOf(resource, field)
        if (known === undefined) return { field, label, from, to }
        const name = (id: Json) => (id === null ? null : (known.get(Number(id)) ?? null))
        return { field, label, from, to, from_name: name(from), to_name: name(to) }
      }),
  )
}

function labelOf(resource: Resource, name: string): string {
  const field = resource.fields.get(name)
  const relation = field?.relation === undefined ? undefined : resource.relations.get(field.relation)
  return relation?.label ?? field?.label ?? name
}

/** The resource that a field refers to, where answers show the name of what it refers to anyway. */
function targetOf(resource: Resource, name: string): string | undefined {
  const relation = resource.relations.get(resource.fields.get(name)?.relation ?? '')
  return relation?.embed?.some((entry) => entry.name === 'name') ? relation.target : undefined
}

async function namesBehind(
  catalog: Catalog,
  database: Database,
  resource: Resource,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, ReadonlyMap<number, string>>> {
  const wanted = new Map<string, Set<number>>()
  for (const { field, from, to } of changes) {
    const target = targetOf(resource, field)
    if (target === undefined) continue
    const ids = wanted.get(target) ?? new Set()
    for (const id of [from, to]) if (typeof id === 'number') ids.add(id)
    wanted.set(target, ids)
  }
  const found = new Map<string, ReadonlyMap<number, string>>()
  for (const [target, ids] of wanted) found.set(target, await namesOf(catalog, database, target, [...ids]))
  return found
}

/** Names of records by id, deleted ones too; empty where the resource has no name that is the same for everybody. */
export async function namesOf(
  catalog: Catalog,
  { adhoc }: Pick<Database, 'adhoc'>,
  name: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const resource = catalog.resources.get(name)
  const field = resource?.fields.get('name')
  if (resource === undefined || field === undefined || ids.length === 0) return new Map()
  if (field.computed !== undefined && /\$|\{/.test(field.computed)) return new Map()
  const value = field.computed ?? `t."${field.column}"`
  const text = `select t.id, ${value} from "${resource.table}" t where t.id = any($1::int[])`
  const rows = await adhoc.run({ text }, [ids])
  return new Map(rows.map((row) => [Number(row[0]), row[1] ?? '']))
}

const SHORT = 80

/** `Status changed from Open to Pending`, `Subject and details changed`, `Ticket created`. */
export function describe(resource: Resource, action: Action, changes: readonly ShownChange[]): string {
  if (action !== 'updated') return `${resource.label} ${action}`
  const [only] = changes
  if (changes.length === 1 && only !== undefined) {
    const [from, to] = [wordsOf(only.from, only.from_name), wordsOf(only.to, only.to_name)]
    if (from !== undefined && to !== undefined) return `${only.label} changed from ${from} to ${to}`
  }
  const labels = changes.map(({ label }, index) => (index === 0 ? label : label.toLowerCase()))
  return `${labels.length > 1 ? `${labels.slice(0, -1).join(', ')} and ${labels.at(-1)}` : labels[0]} changed`
}

/** A value in a sentence; undefined where it is too long for one. */
function wordsOf(value: Json, name: string | null | undefined): string | undefined {
  if (value === null) return 'nothing'
  if (typeof name === 'string') return name
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return text.length > SHORT || text.includes('\n') ? undefined : text
}
