/** A typed client of the application as one TypeScript module: types of records, methods, and the runtime. */
import type { Catalog, Resource } from '../../catalog/catalog.ts'
import { ERRORS } from '../../error.ts'
import { FIELD_ERRORS } from '../../field-error.ts'
import type { BoundRoute } from '../../http/bound-route.ts'
import { ENVELOPE_SCHEMAS } from '../answers.ts'
import { type Described, schemasOf } from '../document.ts'
import { createName } from '../operation.ts'
import { operationIds } from '../operation-id.ts'
import { pascal, type TypeNames, typeNames } from '../type-name.ts'
import { comment, declaration, recordTypes } from '../types.ts'
import { routeEntry, routeMethod } from './method.ts'
import { type Below, type Offer, offersOf } from './offer.ts'
import { type ClientNames, keyOf, partedFilters, resourceTypes, words } from './types.ts'

/** The source of a client; the same application gives the same text. `runtime` is the part that all clients share. */
export function clientModule(described: Described, runtime: string): string {
  const { catalog, routes } = described
  const names = typeNames(catalog, namesIn(runtime))
  const schemas = schemasOf(described, names)
  const given: ClientNames = { catalog, names, schemas, types: collectedNames(names) }
  const { further, offers } = offersOf(catalog, routes)
  const methods = routeMethods(catalog, routes, further, names)
  const all = [...catalog.resources.values()].map((resource) => ({ resource, offer: offers.get(resource.name)! }))
  const served = all.filter(({ offer }) => offer.methods.size + offer.below.size > 0)
  return [
    `/** A client of ${catalog.name}, ${catalog.version}. Made by \`plinth client\`: make it anew instead of changing it. */\n`,
    recordTypes(catalog, names, schemas),
    ...all.map(({ offer, resource }) => resourceTypes(given, resource, offer)),
    `export type ErrorCode = ${words(Object.keys(ERRORS))}\n`,
    `export type FieldErrorCode = ${words(Object.keys(FIELD_ERRORS))}\n`,
    declaration('AnswerMeta', ENVELOPE_SCHEMAS.AnswerMeta, 'What every answer says of itself.'),
    declaration('ListAnswerMeta', ENVELOPE_SCHEMAS.ListAnswerMeta, 'What every list says of itself.'),
    declaration('Pagination', ENVELOPE_SCHEMAS.Pagination, 'The pages of a list.'),
    declaration('SearchTold', ENVELOPE_SCHEMAS.SearchTold, 'What an answer says of a search in addition to its page.'),
    listsType(given, served),
    `/** Everything that the application offers. */\nexport interface Client {\n${[
      ...served.map((one) => resourceMember(given, one)),
      ...methods.map(([name, route]) => routeMethod(given, name, route)),
    ].join('')}}\n`,
    table(
      'RESOURCES',
      'path: string, below: Readonly<Record<string, readonly string[]>>, ...parted: string[]',
      served.map((one) => resourceEntry(catalog, one)),
    ),
    table(
      'ROUTES',
      'method: string, path: string, traits: string, ...parted: string[]',
      methods.map(([name, route]) => routeEntry(given, name, route)),
    ),
    runtime,
  ].join('\n')
}

/** The lists that can be followed together. */
function listsType({ types }: ClientNames, served: readonly Offered[]): string {
  const streamed = served.filter(({ offer }) => offer.methods.has('stream'))
  const members = streamed.map(({ resource }) => `  readonly ${keyOf(resource.name)}: ${types.get(resource.name)}\n`)
  return `/** The lists that can be followed. */\nexport interface Lists {\n${members.join('')}}\n`
}

interface Offered {
  readonly resource: Resource
  readonly offer: Offer
}

/** Names of the runtime and of the language, which no record gets. */
function namesIn(runtime: string): ReadonlySet<string> {
  const code = runtime.replace(/\/\*\*[\s\S]*?\*\/|\/\/.*$|'[^'\n]*'/gm, '')
  return new Set(['ErrorCode', 'FieldErrorCode', 'Client', 'Lists', ...(code.match(/\b[A-Z]\w*/g) ?? [])])
}

/** Resource → the name of its collected types. */
function collectedNames(names: ReadonlyMap<string, TypeNames>): ReadonlyMap<string, string> {
  const taken = new Set([...names.values()].flatMap((one) => Object.values(one)))
  const free = (name: string): string => (taken.has(name) ? free(`${name}Collected`) : name)
  return new Map([...names].map(([resource, { single }]) => [resource, free(`${single}Types`)]))
}

/** Routes of no resource, by operation id; the document has the same ids. */
function routeMethods(
  { resources }: Catalog,
  routes: readonly BoundRoute[],
  further: readonly BoundRoute[],
  names: ReadonlyMap<string, TypeNames>,
): readonly (readonly [name: string, route: BoundRoute])[] {
  const idOf = operationIds(names)
  const ids = new Map(routes.map((route) => [route, idOf(route)]))
  const free = (name: string): string => (resources.has(name) ? free(`${name}Route`) : name)
  return further.map((route) => [free(ids.get(route)!), route])
}

const METHODS = [
  'list',
  'each',
  'query',
  'get',
  'can',
  'create',
  'update',
  'delete',
  'restore',
  'batch',
  'updateMatching',
  'deleteMatching',
  'upsert',
  'summary',
  'stream',
]

/** The records below a record, each under a name that is no method. */
function belowOf({ below }: Offer): readonly (readonly [name: string, below: Below])[] {
  return [...below].map(([end, one]) => {
    const name = pascal(end).replace(/^./, (letter) => letter.toLowerCase())
    const plain = /^[A-Za-z_]\w*$/.test(end) ? end : name
    return [METHODS.includes(plain) ? `${plain}Below` : plain, one]
  })
}

function chosen(type: string, methods: ReadonlySet<string>): string {
  return `Pick<${type}, ${words(METHODS.filter((name) => methods.has(name)))}>`
}

function resourceMember({ names, types }: ClientNames, { offer, resource }: Offered): string {
  const parts = belowOf(offer).map(([name, { methods, resource: child }]) => {
    const create = methods.has('create') ? `, ${createName(child, resource.name, names)}` : ''
    return `${name}(id: Id): ${chosen(`Resource<${types.get(child.name)}${create}>`, methods)}`
  })
  const own = offer.methods.size === 0 ? [] : [chosen(`Resource<${types.get(resource.name)}>`, offer.methods)]
  const below = parts.length === 0 ? [] : [`{\n${parts.map((part) => `    ${part}\n`).join('')}  }`]
  const about = comment(resource.description ?? `${resource.label}.`, '  ')
  return `${about}  readonly ${keyOf(resource.name)}: ${[...own, ...below].join(' & ')}\n`
}

function resourceEntry({ prefix }: Catalog, { offer, resource }: Offered): string {
  const below = belowOf(offer).map(
    ([name, { path, resource: child }]) => `${name}: ${JSON.stringify([path, ...partedFilters(child)])}`,
  )
  const shown = below.length === 0 ? '{}' : `{ ${below.join(', ')} }`
  const entry = [
    JSON.stringify(`${prefix}/${resource.path}`),
    shown,
    ...partedFilters(resource).map((name) => JSON.stringify(name)),
  ]
  return `  ${keyOf(resource.name)}: [${entry.join(', ')}],\n`
}

function table(name: string, entry: string, entries: readonly string[]): string {
  return `const ${name}: Readonly<Record<string, readonly [${entry}]>> = {\n${entries.join('')}}\n`
}
