/** What screens show of a resource, for one class of callers: views, layout and buttons without what they may not use. */
import type { Asker } from '../ask/askable.ts'
import { allowsAll } from '../ask/policy.ts'
import { readWhere } from '../ask/where.ts'
import type { Button, Catalog, Resource, View } from '../catalog/catalog.ts'
import { targetOf } from '../catalog/stored.ts'
import type { BlockDefinition, TileDefinition } from '../definition/screen-schema.ts'
import { parseFilter } from '../filter/parse-yaml.ts'
import { leaves } from '../filter/walk.ts'
import { asJson, isObject, type Json, type JsonObject } from '../json.ts'
import { LIMITS } from '../limits.ts'
import { pagesFor } from './additions.ts'

/** The outline of a resource as its reader gets it, before what screens show. */
export type Outline = JsonObject

/** What decides what a reader's screens have. */
export interface Ground {
  readonly asker: Asker
  readonly resource: Resource
  readonly outline: Outline
  /** The outlines of the other resources that the reader gets. */
  readonly others: ReadonlyMap<string, Outline>
  /** Names of the routes that the reader may call, `plugin.route`. */
  readonly routes: ReadonlySet<string>
}

/** Parts of an outline: `icon`, `views`, `layout`, `buttons`, as far as there are any. */
export function screensOf(ground: Ground): JsonObject {
  const { buttons, icon, layout, views } = ground.resource.screens
  const seen = [...views.values()].flatMap((view) => viewOf(ground, view))
  const pressed = [...buttons.values()].flatMap((button) => buttonOf(ground, button))
  const form = (layout?.form ?? []).flatMap((part): Json[] => {
    const names = [part].flat().filter((name) => isAsked(ground, name))
    return names.length === 0 ? [] : [typeof part === 'string' ? part : names]
  })
  const record = Object.entries(layout?.record ?? {}).flatMap(([column, blocks]): [string, Json][] => {
    const left = blocks.flatMap((block) => blockOf(ground, block))
    return left.length === 0 ? [] : [[column, left]]
  })
  const laid = {
    ...(form.length === 0 ? {} : { form }),
    ...(record.length === 0 ? {} : { record: Object.fromEntries(record) }),
  }
  return {
    ...(icon === undefined ? {} : { icon }),
    ...(seen.length === 0 ? {} : { views: Object.fromEntries(seen) }),
    ...(Object.keys(laid).length === 0 ? {} : { layout: laid }),
    ...(pressed.length === 0 ? {} : { buttons: Object.fromEntries(pressed) }),
  }
}

/** The fields or relations with what screens ask besides: help, and the conditions that the reader can judge. */
export function withAsked(ground: Ground, key: 'fields' | 'relations'): JsonObject {
  const parts = partsOf(ground, key)
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => {
      const { help, when, widget } = ground.resource[key].get(name)?.asked ?? {}
      const judged = when !== undefined && isJudged(ground, when)
      const more = { ...(help === undefined ? {} : { help }), ...(widget === undefined ? {} : { widget }) }
      return [name, { ...(part as JsonObject), ...more, ...(judged ? { when } : {}) }]
    }),
  )
}

/** `console` of app.yaml for the reader: the first screen of its role, and the menu with what it may open. */
export function consoleOf(
  { console: whole }: Pick<Catalog, 'console'>,
  asker: Asker,
  resources: JsonObject,
): { readonly console?: JsonObject } {
  if (whole === undefined) return {}
  const { actor } = asker
  const isOpen = (screen: string): boolean => {
    const [name = '', view] = screen.split('/')
    if (pagesFor(asker).some(({ path }) => path === screen)) return true
    const outline = Object.hasOwn(resources, name) ? resources[name] : undefined
    if (!isObject(outline) || !isObject(outline.list) || outline.list.own !== true) return false
    return view === undefined || (isObject(outline.views) && Object.hasOwn(outline.views, view))
  }
  const first = (actor.role === null ? undefined : whole.home?.[actor.role]) ?? whole.home?.any
  const menu = Object.entries(whole.menu ?? {}).flatMap(([group, screens]): JsonObject[] => {
    const open = screens.filter(isOpen)
    return open.length === 0 ? [] : [{ label: group, screens: open }]
  })
  const told = {
    ...(first === undefined || !isOpen(first) ? {} : { home: first }),
    ...(menu.length === 0 ? {} : { menu }),
    ...(whole.accent === undefined ? {} : { accent: whole.accent }),
  }
  return Object.keys(told).length === 0 ? {} : { console: told }
}

function partsOf({ outline }: Pick<Ground, 'outline'>, key: string): JsonObject {
  const parts = outline[key]
  return isObject(parts) ? parts : {}
}

function partAt(ground: Pick<Ground, 'outline'>, key: string, name: string): JsonObject | undefined {
  const parts = partsOf(ground, key)
  const part = Object.hasOwn(parts, name) ? parts[name] : undefined
  return isObject(part) ? part : undefined
}

/** Whether answers to the reader have the value. */
function isSeen(ground: Ground, path: string): boolean {
  const [first = '', ...rest] = path.split('.')
  const relation = partAt(ground, 'relations', first)
  if (relation !== undefined && Array.isArray(relation.embed)) return isEmbedded(relation.embed, rest)
  if (rest.length > 0) return false
  const key = typeof relation?.field === 'string' ? relation.field : first
  return partAt(ground, 'fields', key)?.show !== undefined
}

function isEmbedded(embed: Json, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return true
  const entry = Array.isArray(embed) ? embed.find((one) => isObject(one) && one.name === first) : undefined
  return isObject(entry) && (rest.length === 0 || (entry.embed !== undefined && isEmbedded(entry.embed, rest)))
}

/** Whether the reader sees everything that a condition on a record compares. */
function isJudged(ground: Ground, when: JsonObject): boolean {
  const { filter } = parseFilter(when)
  return filter !== undefined && leaves(filter).every((leaf) => isSeen(ground, leaf.path.join('.')))
}

/** Whether a list of the resource takes the condition from the reader. */
function isTaken({ catalog, actor }: Asker, resource: Resource, where: JsonObject): boolean {
  let isRefused = false
  const reader = {
    catalog,
    actor,
    resource,
    subject: () => '',
    longestList: LIMITS.valuesPerList,
    refuse: () => {
      isRefused = true
    },
    slots: {},
  }
  return readWhere(reader, JSON.stringify(where)) !== undefined && !isRefused
}

function bothOf(where: readonly JsonObject[]): { readonly where?: JsonObject } {
  const [only, ...more] = where
  return only === undefined ? {} : { where: more.length === 0 ? only : { all: [...where] } }
}

function viewOf(ground: Ground, { access, label, name, said, where }: View): [string, JsonObject][] {
  const { asker, outline, resource } = ground
  const list = isObject(outline.list) ? outline.list : undefined
  const isFor = access === undefined || access.some((clause) => allowsAll(clause, asker.actor))
  if (list?.own !== true || !isFor) return []
  const whole = bothOf(where)
  if (whole.where !== undefined && !isTaken(asker, resource, whole.where)) return []
  const asks = [said.by, said.at, said.from, said.until, said.over?.split(' of ')[1]]
  const named = asks.filter((one): one is string => one !== undefined)
  if (!named.every((one) => isSeen(ground, one) && isTaken(asker, resource, { [one]: { null: false } }))) return []
  const tiles = said.tiles?.flatMap((tile) => tileOf(ground, list, tile))
  if (tiles?.length === 0) return []
  const keys = isObject(list.sort) && Array.isArray(list.sort.keys) ? list.sort.keys : []
  const sort = [said.sort ?? []].flat().filter((term) => keys.includes(term.replace(/^-/, '')))
  const seen = (paths: readonly string[] | undefined) => paths?.filter((path) => isSeen(ground, path)) ?? []
  const told = {
    label,
    ...only(said, ['icon', 'as', 'count', 'by', 'at', 'from', 'until', 'over']),
    ...only(
      said,
      (['title', 'color', 'rows'] as const).filter((key) => isSeen(ground, said[key] ?? '')),
    ),
    ...whole,
    ...(sort.length === 0 ? {} : { sort }),
    ...filled('columns', seen(said.columns)),
    ...filled('card', seen(said.card)),
    ...(tiles === undefined ? {} : { tiles }),
  }
  return [[name, told]]
}

function only<T extends object>(said: T, keys: readonly (keyof T & string)[]): JsonObject {
  return Object.fromEntries(keys.flatMap((key) => (said[key] === undefined ? [] : [[key, said[key] as Json]])))
}

function filled(key: string, names: readonly string[]): JsonObject {
  return names.length === 0 ? {} : { [key]: [...names] }
}

function tileOf({ asker, outline, resource, routes }: Ground, list: JsonObject, tile: TileDefinition): JsonObject[] {
  const told = asJson(tile)
  if (tile.from !== undefined) return routes.has(tile.from) ? [told] : []
  const summary = isObject(list.summary) ? list.summary : {}
  const has = (key: 'by' | 'of', name: string): boolean => {
    const names = summary[key]
    const field = resource.relations.get(name)
    return Array.isArray(names) && names.includes(field?.kind === 'belongs_to' ? field.field.name : name)
  }
  const measure = [tile.number, tile.bars, tile.line, tile.table].find((one) => one !== undefined) ?? 'count'
  const isKnown =
    measure === 'count' ||
    measure
      .split(' of ')
      .at(-1)!
      .split('..')
      .every((name) => has('of', name))
  const groups = [tile.by ?? []].flat().every((group) => has('by', group.split(' of ').at(-1)!))
  const isAskable = tile.where === undefined || isTaken(asker, resource, tile.where as JsonObject)
  return outline.figures !== undefined && isKnown && groups && isAskable ? [told] : []
}

/** Whether forms of the reader have the question. */
function isAsked(ground: Ground, name: string): boolean {
  const relation = partAt(ground, 'relations', name)
  const key = typeof relation?.field === 'string' ? relation.field : name
  const field = partAt(ground, 'fields', key)
  return [field, relation].some((one) => one?.create !== undefined || one?.update !== undefined)
}

function isShown(ground: Ground, name: string): boolean {
  const { outline, resource } = ground
  if (isSeen(ground, name) || partAt(ground, 'below', name) !== undefined || isBlock(ground, name)) return true
  const routes = Array.isArray(outline.routes) ? outline.routes : []
  return (
    Object.hasOwn(resource.keys, name) &&
    routes.some((route) => isObject(route) && route.method === 'GET' && String(route.path).endsWith(`/{id}/${name}`))
  )
}

/** Whether a plugin draws it. */
function isBlock({ asker: { catalog }, resource }: Ground, name: string): boolean {
  const isOwn = resource.fields.has(name) || resource.relations.has(name) || Object.hasOwn(resource.keys, name)
  return !isOwn && [...catalog.additions.values()].some(({ blocks }) => blocks.includes(name))
}

function blockOf(ground: Ground, block: BlockDefinition): Json[] {
  const shown = (names: readonly string[]) => names.filter((name) => isShown(ground, name))
  if (typeof block === 'string') return isShown(ground, block) ? [block] : []
  if (isNames(block)) return shown(block).length === 0 ? [] : [shown(block)]
  const { fields, label, list, texts, thread, when, write } = block
  if (when !== undefined && !isJudged(ground, when as JsonObject)) return []
  const named = {
    ...(label === undefined ? {} : { label }),
    ...(when === undefined ? {} : { when: when as JsonObject }),
  }
  if (list !== undefined) return isSeen(ground, list) ? [{ ...named, list }] : []
  const names = shown(fields ?? thread ?? [])
  const written = writtenOf(ground, write ?? {})
  if (names.length === 0) return []
  if (fields !== undefined) return [{ ...named, fields: names }]
  const inserted = texts !== undefined && isListed(ground, texts) ? { texts } : {}
  return [{ ...named, thread: names, ...(Object.keys(written).length === 0 ? {} : { write: written, ...inserted }) }]
}

/** Whether the reader has a list of the resource. */
function isListed({ others }: Ground, name: string): boolean {
  const list = others.get(name)?.list
  return isObject(list) && list.own === true
}

function isNames(block: BlockDefinition): block is readonly string[] {
  return Array.isArray(block)
}

/** The lists below that the reader may create records in, with the fields that it may send. */
function writtenOf(ground: Ground, write: { readonly [path: string]: readonly string[] }): JsonObject {
  const open = Object.entries(write).flatMap(([path, names]): [string, Json][] => {
    const below = partAt(ground, 'below', path)
    const actions = below?.actions
    const child = ground.others.get(String(below?.to))
    if (child === undefined || !Array.isArray(actions) || !actions.includes('create')) return []
    const sent = names.filter((name) => isAsked({ ...ground, outline: child }, name))
    return sent.length === 0 ? [] : [[path, sent]]
  })
  return Object.fromEntries(open)
}

/** A button with the keys of bodies that it sends; nothing where the reader may not do all that it does. */
function buttonOf(ground: Ground, { label, name, said }: Button): [string, JsonObject][] {
  const { resource, routes } = ground
  const { calls, choose = {}, create, set, when } = said
  if (when !== undefined && !isJudged(ground, when as JsonObject)) return []
  if (calls !== undefined && !routes.has(calls)) return []
  const written = writtenOf(ground, create ?? {})
  if (create !== undefined && Object.keys(written).length < Object.keys(create).length) return []
  const sent = Object.entries(set ?? {}).map(([key, value]): [string, Json] => {
    const relation = resource.relations.get(key)
    return [relation?.kind === 'belongs_to' ? relation.field.name : key, value]
  })
  if (!sent.every(([key, value]) => isSent(ground, key, value))) return []
  const chosen = Object.entries(choose).filter(([, from]) =>
    resource.relations.has(from) ? isSeen(ground, from) : isListed(ground, from),
  )
  const told = {
    label,
    ...only(said, ['icon', 'key', 'many', 'calls']),
    ...(chosen.length === 0 ? {} : { choose: Object.fromEntries(chosen) }),
    ...(when === undefined ? {} : { when: when as JsonObject }),
    ...(set === undefined ? {} : { set: Object.fromEntries(sent) }),
    ...(create === undefined ? {} : { create: written }),
  }
  return [[name, told]]
}

/** Whether the reader may write the value; of another record, whether it may find it. */
function isSent(ground: Ground, key: string, value: Json): boolean {
  if (partAt(ground, 'fields', key)?.update !== true) return false
  if (!isObject(value)) return true
  const relation = ground.resource.relations.get(ground.resource.fields.get(key)?.relation ?? '')
  if (relation === undefined) return false
  const target = targetOf(ground.asker.catalog, relation)
  return isListed(ground, target.name) && isTaken(ground.asker, target, value)
}
