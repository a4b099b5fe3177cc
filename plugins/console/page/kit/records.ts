/** Records and what is done to them, for the pages of plugins: by the API, with the rights of the reader. */
import { useCallback, useEffect } from 'react'
import { type Answer, type Asked, ask, canIn, download, explained, newKey, recordIn, sentence } from '../client/api.ts'
import { useAnswer, useRecord as useRecordAt } from '../client/asking.ts'
import {
  type Can,
  type Catalog,
  type Json,
  type Named,
  type OfferedRoute,
  type RecordData,
  routeNamed,
} from '../client/catalog.ts'
import { useTold } from '../client/live.ts'
import { usePages } from '../client/pages.ts'
import type { Condition, View } from '../client/said.ts'
import { useSession } from '../client/session.ts'
import { followedList, followedRecord, viewQuery } from '../list/query.ts'
import { useWork } from '../shell/work.ts'
import { useCatalog } from './known.ts'

export interface RecordsAsked {
  /** Which records, in the language of filters. */
  readonly where?: Condition
  readonly search?: string
  /** The order, `-created_at`. */
  readonly sort?: string
  /** The fields and relations of answers; those that lists usually have if absent. */
  readonly fields?: readonly string[]
  /** Lists of other records that answers have besides. */
  readonly include?: readonly string[]
  /** A view, whose conditions and order hold too. */
  readonly view?: View
  /** How many come at a time; 100 if absent. */
  readonly perPage?: number
}

export interface Records {
  readonly records: readonly RecordData[]
  /** How many there are; undefined as long as that is not known. */
  readonly total: number | undefined
  readonly isAsking: boolean
  /** Why they cannot be read, as a sentence for people. */
  readonly failure: string | undefined
  readonly hasMore: boolean
  /** Reads the next page. */
  more(): void
  again(): void
}

function namedIn({ resources }: Catalog, name: string): Named | undefined {
  const resource = Object.hasOwn(resources, name) ? resources[name] : undefined
  return resource === undefined ? undefined : { name, resource }
}

/** The path of a resource that the reader does not have; the API answers that there is none. */
function pathOf(catalog: Catalog, name: string): string {
  return namedIn(catalog, name)?.resource.path ?? `${catalog.prefix}/${name}`
}

type Written = (path: string) => void
const listeners = new Set<Written>()

/** Calls `again` when this page has written at the path or below it: not every list can be followed. */
function useOwnWrites(path: string, again: () => void): void {
  useEffect(() => {
    const hear: Written = (written) => void (written.startsWith(path) && again())
    listeners.add(hear)
    return () => void listeners.delete(hear)
  }, [path, again])
}

/** Records of a resource, which change while they are looked at. */
export function useRecords(resource: string, asked: RecordsAsked = {}): Records {
  const catalog = useCatalog()
  const named = namedIn(catalog, resource)
  const query = new URLSearchParams()
  if (asked.search) query.set('search', asked.search)
  if (asked.sort !== undefined) query.set('sort', asked.sort)
  if (asked.fields !== undefined) query.set('fields', ['id', ...asked.fields].join(','))
  if (asked.include !== undefined) query.set('include', asked.include.join(','))
  const text = viewQuery(query, asked.view ?? { label: '' }, ...(asked.where === undefined ? [] : [asked.where]))
  const pages = usePages({
    path: pathOf(catalog, resource),
    query: text,
    perPage: Math.min(asked.perPage ?? 100, catalog.limits.perPageMax ?? 100),
    stream: catalog.stream,
    list: named && followedList(named, undefined, new URLSearchParams(text)),
  })
  const { pagination, rows } = pages
  useOwnWrites(pathOf(catalog, resource), pages.again)
  return {
    records: rows,
    total: pagination?.total,
    isAsking: pages.isAsking,
    failure: pages.failure,
    hasMore: typeof pagination?.next_cursor === 'string',
    more: pages.more,
    again: pages.again,
  }
}

export interface OneRecord {
  readonly record: RecordData | undefined
  /** What the reader may do to it. */
  readonly can: Can | undefined
  /** Its entity tag, for `change`. */
  readonly etag: string | undefined
  readonly failure: string | undefined
  again(): void
}

/** One record, which is read again when it changes. */
export function useRecord(resource: string, id: string): OneRecord {
  const catalog = useCatalog()
  const named = namedIn(catalog, resource)
  const { again, answer, failure, record } = useRecordAt(`${pathOf(catalog, resource)}/${encodeURIComponent(id)}`)
  useTold(catalog.stream, named && record && followedRecord(named, record), again)
  return { record, can: answer && canIn(answer), etag: answer?.etag, failure, again }
}

export interface RouteAsked {
  /** The values of `{id}` and others in the path. */
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: Json
}

function addressOf({ path }: OfferedRoute, { params = {}, query = {} }: RouteAsked): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]))
  const text = new URLSearchParams(given).toString()
  return text === '' ? filled : `${filled}?${text}`
}

export interface RouteAnswer {
  readonly data: Json | undefined
  readonly meta: Answer['meta'] | undefined
  /** Whether the reader may ask it. */
  readonly isOpen: boolean
  readonly failure: string | undefined
  again(): void
}

/** The answer of a route of a plugin that is read, by `plugin.route`; it is asked again when the request is another one. */
export function useRoute(name: string, asked: RouteAsked = {}): RouteAnswer {
  const route = routeNamed(useCatalog(), name)
  const { again, answer, failure } = useAnswer(route && addressOf(route, asked))
  return { data: answer?.data, meta: answer?.meta, isOpen: route !== undefined, failure, again }
}

/** What is to be explained of a request. */
export interface Wish {
  /** A person by an address or a name. */
  readonly as?: string
  readonly field?: string
  readonly method?: string
}

/** What can be done; each rejects where the server refuses it. */
export interface Acts {
  create(resource: string, body: RecordData): Promise<RecordData>
  /** Changes a record; with the entity tag only if it is still as it was read. */
  change(resource: string, id: string, body: RecordData, etag?: string): Promise<RecordData>
  remove(resource: string, id: string, etag?: string): Promise<void>
  /** Calls a route of a plugin that does something, by `plugin.route`. */
  call(route: string, asked?: RouteAsked): Promise<Json>
  /**
   * Says why a path of the API answers what it answers, to a reader who may ask that: for somebody else, about a field, or
   * about another method than GET, which does not run.
   */
  explain(path: string, wish?: Wish): Promise<Json>
  /** Saves the answer of a route of a plugin that is read as a file. */
  download(route: string, asked?: RouteAsked): Promise<void>
}

export interface Act {
  readonly isBusy: boolean
  /** Why the last work was refused, as a sentence for people. */
  readonly failure: string | undefined
  /** Does one piece of work at a time; it is given up when the screen goes. */
  run(work: (acts: Acts) => Promise<void>): void
}

function actsOf(catalog: Catalog, signal: AbortSignal): Acts {
  const at = (resource: string, id: string): string => `${pathOf(catalog, resource)}/${encodeURIComponent(id)}`
  const offered = (name: string, reads: boolean): OfferedRoute => {
    const route = routeNamed(catalog, name, reads)
    if (route === undefined) throw new Error(`There is no route "${name}" for this reader`)
    return route
  }
  const write = async (path: string, asked: Asked): Promise<Answer> => {
    const answer = await ask(path, { key: newKey(), signal, ...asked })
    for (const hear of listeners) hear(path)
    return answer
  }
  return {
    create: async (resource, body) => recordIn(await write(pathOf(catalog, resource), { method: 'POST', body })),
    change: async (resource, id, body, ifMatch) =>
      recordIn(await write(at(resource, id), { method: 'PATCH', body, ifMatch })),
    remove: async (resource, id, ifMatch) => void (await write(at(resource, id), { method: 'DELETE', ifMatch })),
    call: async (name, asked = {}) => {
      const route = offered(name, false)
      const method = route.method as 'POST' | 'PATCH' | 'DELETE'
      const body = asked.body === undefined ? {} : { body: asked.body }
      return (await write(addressOf(route, asked), { method, ...body })).data
    },
    explain: (path, wish = {}) => explained(path, wish, signal),
    download: async (name, asked = {}) => download(addressOf(offered(name, true), asked), signal),
  }
}

/** What the reader does by a press: whether it runs, and why it was refused. */
export function useAct(): Act {
  const catalog = useCatalog()
  const { failure, isBusy, run } = useWork()
  const start = useCallback<Act['run']>((work) => run((signal) => work(actsOf(catalog, signal))), [catalog, run])
  return { isBusy, failure: failure === undefined ? undefined : sentence(failure), run: start }
}

/** Whether somebody is signed in. */
export function useIsSignedIn(): boolean {
  return useSession().token !== undefined
}
