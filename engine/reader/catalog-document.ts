/** An application as JSON for one class of callers: all that a program needs that draws lists, records and forms of it. */
import type { Actor } from '../actor.ts'
import { type Asker, isManyAskable, titleFor } from '../ask/askable.ts'
import { holds, readable } from '../ask/policy.ts'
import type { Catalog, EmbedEntry, Field, Relation, Resource } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import { asJson, type Json, type JsonObject, type JsonSchema } from '../json.ts'
import { pathName } from '../plan/plan.ts'
import { isWritable } from '../record/decode.ts'
import { isWordShown, speaksOf } from '../statement/moves.ts'
import { requiredFields } from '../write/create.ts'
import { manyFields } from '../write/input.ts'
import { additionsFor } from './additions.ts'
import { askingOf } from './asking.ts'
import { isAllowed, isChosenBy, isOffered, readBy, writtenBy } from './part.ts'
import { consoleOf, screensOf, withAsked } from './screens.ts'

/** A route of a plugin that the caller may call. */
export interface OfferedRoute {
  /** `merging.merge`: its plugin, and the last word of its path. */
  readonly name: string
  readonly method: string
  readonly path: string
  readonly summary: string
  /** The resource that it belongs to; undefined: none. */
  readonly resource: string | undefined
  readonly body: 'none' | 'json' | 'form' | 'multipart' | 'raw'
  /** The body and the query, where the route declares them. */
  readonly input?: JsonSchema | undefined
  readonly query?: JsonSchema | undefined
  /** The types of an answer that is no JSON envelope. */
  readonly produces?: readonly string[] | undefined
  /** The resource whose record it answers. */
  readonly answers?: string | undefined
}

/** What a document is made of, besides the class of its readers. */
export interface Described {
  readonly catalog: Catalog
  /** Hook name → the keys of a body that it takes in addition to the fields of the resource. */
  readonly hooks: ReadonlyMap<string, { readonly input: readonly Field[] }>
}

type Write = 'create' | 'update'

/** One resource, with what the caller may do to some record of it. */
interface Seen {
  readonly resource: Resource
  readonly part: Resource
  readonly actions: readonly string[]
  readonly written: Readonly<Record<Write, Resource | undefined>>
}

/** The limits that a program for people has to know. */
const NOTICED = [
  'perPageDefault',
  'perPageMax',
  'sortKeys',
  'valuesPerList',
  'filterTerms',
  'searchLength',
  'batchOperations',
  'jsonBytes',
  'uploadBytes',
  'queryBytes',
  'streamsPerCaller',
] as const

/**
 * The document. It holds no resource, field, filter, value or route that callers of the class may not use, and nothing
 * in it depends on those.
 */
export function catalogDocument(
  { catalog, hooks }: Described,
  actor: Actor,
  routes: readonly OfferedRoute[],
): JsonObject {
  const asker = { catalog, actor }
  const own = new Set(routes.map(({ resource }) => resource))
  const seen = new Map<string, Seen>()
  for (const resource of catalog.resources.values()) {
    const one = seenBy(asker, resource)
    const isBelow = resource.nested.some(({ actions }) => actions.some((action) => isAllowed(resource, action, actor)))
    if (one.actions.length > 0 || isBelow || own.has(resource.name)) seen.set(resource.name, one)
  }
  const isFollowed =
    [...seen.values()].some(({ resource }) => resource.streamed && isAllowed(resource, 'view', actor)) &&
    ![...catalog.resources.values()].some(({ path }) => path === 'stream')
  const outlines = new Map([...seen].map(([name, one]) => [name, outline(asker, seen, one, hooks, routes)]))
  const named = new Set(routes.map(({ name }) => name))
  const resources = Object.fromEntries(
    [...outlines].map(([name, told]) => {
      const ground = { asker, resource: seen.get(name)!.resource, outline: told, others: outlines, routes: named }
      const asked = { fields: withAsked(ground, 'fields'), relations: withAsked(ground, 'relations') }
      return [name, { ...told, ...asked, ...screensOf(ground) }]
    }),
  )
  const limits = Object.fromEntries(NOTICED.map((name) => [name, catalog.limits[name] ?? null]))
  return {
    name: catalog.name,
    version: catalog.version,
    ...(catalog.description === undefined ? {} : { description: catalog.description }),
    prefix: catalog.prefix,
    limits,
    ...(isFollowed ? { stream: `${catalog.prefix}/stream` } : {}),
    ...consoleOf(catalog, asker, resources),
    ...additionsFor(asker, resources),
    resources,
    routes: routes.filter(({ resource }) => resource === undefined || !seen.has(resource)).map(routeOf),
  }
}

function seenBy({ actor, catalog }: Asker, resource: Resource): Seen {
  const may = (action: Write): Resource | undefined =>
    isOffered(resource, action) && isAllowed(resource, action, actor) ? writtenBy(resource, actor, action) : undefined
  return {
    resource,
    part: readBy(catalog, resource, actor),
    actions: [...resource.actions].filter((action) => isAllowed(resource, action, actor)),
    written: { create: may('create'), update: may('update') },
  }
}

function outline(
  asker: Asker,
  seen: ReadonlyMap<string, Seen>,
  one: Seen,
  hooks: Described['hooks'],
  routes: readonly OfferedRoute[],
): JsonObject {
  const { actions, part, resource } = one
  const views = isAllowed(resource, 'view', asker.actor)
  const listed = views && resource.actions.has('list')
  const path = `${asker.catalog.prefix}/${resource.path}`
  const writes = actions.filter((action) => action !== 'list' && action !== 'get')
  return {
    label: { one: resource.label, many: resource.plural },
    ...(resource.description === undefined ? {} : { description: resource.description }),
    path,
    title: titleFor(asker, resource).map(pathName),
    id: resource.key.type.name,
    lookup: part.lookup.map(({ name }) => name),
    actions: [...actions],
    ...(resource.deleteSets === undefined ? {} : { hides: true }),
    ...(resource.batch && writes.length > 0 ? { batch: `${path}/batch` } : {}),
    ...(resource.streamed && views ? { stream: `${path}/stream` } : {}),
    ...(resource.summary !== undefined && views ? { figures: `${path}/summary` } : {}),
    fields: fieldsOf(asker, one),
    relations: relationsOf(asker, seen, one),
    ...extraOf(hooks, one),
    ...(views ? { list: { ...askingOf(asker, resource, part), own: listed } } : {}),
    moves: movesOf(asker, one),
    below: belowOf(asker, seen, resource),
    routes: routes.filter((route) => route.resource === resource.name).map(routeOf),
  }
}

/** Fields that the caller reads or writes, in the order of answers. */
function fieldsOf({ actor, catalog }: Asker, { part, resource, written }: Seen): JsonObject {
  const needed = new Set(requiredFields(resource))
  for (const { field } of resource.scopeSets) needed.delete(field)
  const entries = [...resource.fields].flatMap(([name, field]): [string, JsonObject][] => {
    const isRead = part.fields.has(name) && readable(field, actor) && field.show !== 'never'
    const creates = isWritable(field) && written.create?.fields.has(name) === true
    const updates = isWritable(field) && !field.immutable && written.update?.fields.has(name) === true
    if (field.earlier !== undefined || !(isRead || creates || updates)) return []
    const uses = usesOf(field, { isRead, creates, updates, isNeeded: needed.has(field) })
    const isChosen = field.holds === 'permission' && (creates || updates)
    return [[name, { ...fieldOf(field), ...uses, ...(isChosen ? { words: permissionsOf(catalog, actor) } : {}) }]]
  })
  return Object.fromEntries(entries)
}

/** The permissions that the caller may pass on: those that it holds. */
function permissionsOf({ permissions }: Catalog, actor: Actor): readonly string[] {
  const known = [...permissions.keys()].filter((permission) => permission !== '*' && holds(actor, permission)).sort()
  return holds(actor, '*') ? ['*', ...known] : known
}

/** What a value of the field is. */
function fieldOf(field: Field): JsonObject {
  const { description, label, nullable, relation, type, values } = field
  return {
    label,
    ...(description === undefined ? {} : { description }),
    type: type.name,
    schema: (type.input?.(field.options) ?? type.schema(field.options)) as JsonObject,
    nullable,
    ...(values === undefined ? {} : { values }),
    ...(relation === undefined ? {} : { relation }),
  }
}

/** What the caller may do with the field: read it in answers, and send it. */
function usesOf(
  { default: usual, show }: Field,
  is: { readonly isRead: boolean; readonly creates: boolean; readonly updates: boolean; readonly isNeeded: boolean },
): JsonObject {
  return {
    ...(is.isRead ? { show } : {}),
    ...(is.creates ? { create: is.isNeeded ? 'required' : 'optional' } : {}),
    ...(is.creates && usual !== undefined ? { default: usual } : {}),
    ...(is.updates ? { update: true } : {}),
  }
}

function relationsOf(asker: Asker, seen: ReadonlyMap<string, Seen>, one: Seen): JsonObject {
  const entries = [...one.resource.relations].flatMap(([name, relation]): [string, JsonObject][] => {
    const { label, description, kind, show, target } = relation
    const uses = relationUses(asker, one, relation)
    if (relation.earlier !== undefined || uses === undefined) return []
    const about = { kind, label, ...(description === undefined ? {} : { description }) }
    const chosen = isChosenBy(asker, one.resource, relation)
    const choices = `${asker.catalog.prefix}/${one.resource.path}/choices/${name}`
    const leads = { ...(seen.has(target) ? { to: target } : {}), ...(chosen ? { choices } : {}) }
    return [[name, { ...about, ...leads, ...uses, show }]]
  })
  return Object.fromEntries(entries)
}

/** What the caller reads and writes by a relation; undefined where that is nothing. */
function relationUses(asker: Asker, { part, resource, written }: Seen, relation: Relation): JsonObject | undefined {
  const read = part.relations.get(relation.name)
  const shown = read?.embed !== undefined && relation.show !== 'never' ? { embed: embedOf(read.embed) } : undefined
  if (relation.kind === 'belongs_to') {
    const { field } = relation
    const isRead = readable(field, asker.actor) && field.show !== 'never'
    const sent = isWritable(field) && [written.create, written.update].some((one) => one?.fields.has(field.name))
    return shown !== undefined || isRead || sent ? { field: field.name, ...shown } : undefined
  }
  if (relation.kind === 'has_many') {
    const isAsked = read !== undefined && isManyAskable(asker, resource, relation)
    return shown !== undefined || isAsked ? { ...shown, ...(relation.first ? { first: true } : {}) } : undefined
  }
  const creates = written.create?.relations.has(relation.name) === true
  const updates = written.update?.relations.has(relation.name) === true
  const isAsked = read !== undefined && isManyAskable(asker, resource, relation)
  if (shown === undefined && !isAsked && !creates && !updates) return undefined
  const sent = { ...(creates ? { create: 'optional' } : {}), ...(updates ? { update: true } : {}) }
  const [list] = manyFields(resource).find(([, one]) => one === relation) ?? []
  const writes = list !== undefined && (creates || updates) ? { writes: list.name, ...sent } : {}
  return { ...shown, ...writes }
}

/** What answers have of the other records. */
function embedOf(entries: readonly EmbedEntry[]): Json {
  return entries.flatMap(({ earlier, name, value }): JsonObject[] => {
    if (earlier !== undefined) return []
    if (value.kind === 'embed') return [{ name, label: value.relation.label, embed: embedOf(value.entries) }]
    const { field } = value.path
    const { label, type, values } = field
    return [{ name, label, type: type.name, ...(values === undefined ? {} : { values }) }]
  })
}

/** Keys of bodies that are no fields: those of hooks. */
function extraOf(hooks: Described['hooks'], { resource, written }: Seen): JsonObject {
  const inputsOf = (action: Write): JsonObject => {
    if (written[action] === undefined) return {}
    const fields = resource.hooks[action].flatMap((name) => hooks.get(name)?.input ?? [])
    const extra = fields.filter(({ name }) => !resource.fields.has(name))
    return Object.fromEntries(
      extra.map((field) => [field.name, { ...fieldOf(field), required: action === 'create' && field.required }]),
    )
  }
  const [create, update] = [inputsOf('create'), inputsOf('update')]
  if (Object.keys(create).length + Object.keys(update).length === 0) return {}
  return { extra: { create, update } }
}

/** Which value may follow which, for the caller. */
function movesOf(asker: Asker, { resource, written }: Seen): JsonObject {
  const shown = resource.moves.filter(
    (moves) => written.update?.fields.has(moves.field.name) === true && isWordShown(asker, resource, moves),
  )
  return Object.fromEntries(
    shown.map(({ allow, name, path, words }) => {
      const own = allow.filter((move) => speaksOf(move, asker.actor))
      const side = (some: ReadonlySet<string> | undefined): Json => (some === undefined ? null : [...some])
      const by = path.relations.length === 0 ? {} : { by: path.field.name }
      const pairs = own.map(({ from, to }) => ({ from: side(from), to: side(to) }))
      return [name, { ...by, ...(words === undefined ? {} : { words: [...words] }), allow: pairs }]
    }),
  )
}

/** The lists below a record of the resource, by the last part of their path. */
function belowOf(asker: Asker, seen: ReadonlyMap<string, Seen>, parent: Resource): JsonObject {
  const entries = [...seen.values()].flatMap(({ resource }) =>
    resource.nested.flatMap(({ actions, path, relation }): [string, JsonObject][] => {
      if (targetOf(asker.catalog, relation) !== parent) return []
      const open = actions.filter(
        (action) =>
          isAllowed(resource, action, asker.actor) && (action === 'create' || readable(relation.field, asker.actor)),
      )
      return open.length === 0 ? [] : [[path, { to: resource.name, relation: relation.name, actions: open }]]
    }),
  )
  return Object.fromEntries(entries)
}

function routeOf({ resource: _, ...route }: OfferedRoute): JsonObject {
  return asJson(route)
}
