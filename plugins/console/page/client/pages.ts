/** The records of a list as state of a screen: they come page after page, and change while they are looked at. */
import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { type Answer, ask, isAborted, type Pagination, rowsIn, sentences } from './api.ts'
import { idOf, type RecordData } from './catalog.ts'
import { newListeners } from './listeners.ts'
import { type Told, useTold } from './live.ts'
import { useSession } from './session.ts'

export interface Pages {
  readonly rows: readonly RecordData[]
  readonly pagination: Pagination | undefined
  readonly isAsking: boolean
  readonly failure: string | undefined
  /** How many seconds the server asks to wait. */
  readonly waits: number | undefined
  /** Records that came since the list was read, and wait while their reader is at work. */
  readonly fresh: number
  /** Whether more has changed than anybody knows, and the list waits to be read again. */
  readonly isStale: boolean
  /** The ids of rows that are there no more. */
  readonly gone: ReadonlySet<string>
  /** Reads the next page, unless all are there or one is on its way. */
  more(): void
  again(): void
  /** Rows do not move while it is held. */
  hold(is: boolean): void
  /** Puts a changed record in the place of its row. */
  put(record: RecordData): void
}

export interface PagesAsked {
  readonly path: string
  /** The query of the API without pages. */
  readonly query: string
  readonly perPage: number
  /** One page alone; undefined: page after page by their cursor. */
  readonly page?: number | undefined
  /** The path of the stream, and the list in it; undefined where it cannot be followed. */
  readonly stream?: string | undefined
  readonly list?: string | undefined
}

interface State {
  readonly rows: readonly RecordData[]
  readonly pagination?: Pagination
  readonly failure?: string
  readonly waits?: number
  readonly isAsking: boolean
  readonly fresh: ReadonlySet<string>
  readonly isStale: boolean
  readonly gone: ReadonlySet<string>
}

const NOBODY: ReadonlySet<string> = new Set()
const EMPTY: State = { rows: [], isAsking: true, fresh: NOBODY, gone: NOBODY, isStale: false }
/** How long changes gather before the list is read again. */
const GATHER_MS = 300
/** Lists that nobody can follow are read again so often. */
const MINUTE_MS = 60_000
/** A reader who has scrolled further down is at work. */
const TOP_PX = 200

/** One list for one reader: what is known of it, and what is being asked. */
class List {
  state = EMPTY
  readonly #address: string
  readonly #perPage: number
  readonly #listeners = newListeners()
  readonly subscribe = this.#listeners.add
  #asking: AbortController | undefined
  /** What was told while an answer was on its way, which may be older. */
  #heard: Told[] = []
  /** Whether only the server knows what is in the list. */
  #isLost = false
  #isHeld = false
  #timer = 0

  constructor(address: string, perPage: number) {
    this.#address = address
    this.#perPage = perPage
  }

  readonly #become = (next: State): void => {
    this.state = next
    this.#listeners.tell()
  }

  /** Reads the first page, with which everything begins anew; the rows stay until it is there. */
  readonly again = (): void => this.#load(undefined)

  /** Reads the next page, unless all are there or one is on its way. */
  readonly more = (): void => {
    const cursor = this.state.pagination?.next_cursor
    if (this.#asking === undefined && typeof cursor === 'string') this.#load(cursor)
  }

  readonly #load = (cursor: string | undefined): void => {
    this.#asking?.abort()
    const own = new AbortController()
    this.#asking = own
    this.#heard = []
    if (cursor === undefined) this.#isLost = false
    this.#become({ ...this.state, isAsking: true })
    const asked = cursor === undefined ? this.#address : `${this.#address}&cursor=${encodeURIComponent(cursor)}`
    const onWait = (waits: number): void => this.#become({ ...this.state, waits })
    const end = (next: Partial<State>): void => {
      if (this.#asking !== own) return
      this.#asking = undefined
      const { failure: _, waits: __, ...before } = this.state
      this.#become({ ...before, ...next, isAsking: false })
    }
    ask(asked, { signal: own.signal, onWait }).then(
      (answer) => end(this.#with(answer, cursor !== undefined)),
      (error) => isAborted(error) || end({ failure: sentences(error) }),
    )
  }

  readonly #with = (answer: Answer, isNext: boolean): Partial<State> => {
    const told = answer.meta.pagination ?? {}
    const { isAsking, pagination: first, rows } = this.state
    const read = isNext
      ? // The first page says how many there are; those by cursor do not count again.
        {
          ...this.state,
          rows: [...rows, ...rowsIn(answer)],
          pagination: { ...told, ...first, next_cursor: told.next_cursor ?? null },
        }
      : { rows: rowsIn(answer), pagination: told, fresh: NOBODY, gone: NOBODY, isStale: false, isAsking }
    return this.#heard.reduce(after, read)
  }

  /** Reads the list again once its reader does not mind, and what is on its way is there. */
  readonly soon = (): void => {
    if (this.#timer !== 0) return
    this.#timer = window.setTimeout(() => {
      this.#timer = 0
      if (this.#asking !== undefined) this.soon()
      else if (!this.#isHeld && this.state.rows.length <= this.#perPage && scrollY < TOP_PX) this.again()
      else if (this.#isLost) this.#become({ ...this.state, isStale: true })
    }, GATHER_MS)
  }

  /** Whether the server has something to say that nobody shows yet. */
  get #isDue(): boolean {
    return this.#isLost || this.state.fresh.size + this.state.gone.size > 0
  }

  readonly hear = (told: Told): void => {
    if (this.#asking !== undefined) this.#heard.push(told)
    if (told.type === 'reset') this.#isLost = true
    this.#become(after(this.state, told))
    if (this.#isDue) this.soon()
  }

  readonly put = (record: RecordData): void => this.hear({ type: 'changed', record })

  readonly hold = (is: boolean): void => {
    this.#isHeld = is
    if (!is && this.#isDue) this.soon()
  }

  readonly stop = (): void => {
    this.#asking?.abort()
    this.#asking = undefined
    clearTimeout(this.#timer)
    this.#timer = 0
  }
}

export function usePages({ list: name, page, path, perPage, query, stream }: PagesAsked): Pages {
  const { ended, turn } = useSession()
  const paged = page === undefined ? '' : `&page=${page}`
  const address = `${path}?${query === '' ? '' : `${query}&`}per_page=${perPage}${paged}`
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn is another reader
  const list = useMemo(() => new List(address, perPage), [address, perPage, turn])
  const state = useSyncExternalStore(list.subscribe, () => list.state)
  useTold(stream, name, list.hear)
  useEffect(() => {
    if (ended) return
    list.again()
    return list.stop
  }, [list, ended])
  const isFollowed = stream !== undefined && name !== undefined
  useEffect(() => {
    if (isFollowed) return
    const timer = setInterval(list.soon, MINUTE_MS)
    return () => clearInterval(timer)
  }, [isFollowed, list])
  const { failure, fresh, gone, isAsking, isStale, pagination, rows, waits } = state
  useEffect(() => {
    if (failure === undefined) return
    addEventListener('online', list.again)
    return () => removeEventListener('online', list.again)
  }, [failure, list])
  const { again, hold, more, put } = list
  return { rows, pagination, isAsking, failure, waits, fresh: fresh.size, isStale, gone, more, again, hold, put }
}

/** The state after something was told. */
function after(state: State, { record, type }: Told): State {
  if (record === undefined) return state
  const id = idOf(record)
  const at = state.rows.findIndex((row) => idOf(row) === id)
  if (type === 'deleted') {
    const fresh = new Set([...state.fresh].filter((one) => one !== id))
    return at === -1 ? { ...state, fresh } : { ...state, fresh, gone: new Set([...state.gone, id]) }
  }
  if (at === -1) return type === 'created' ? { ...state, fresh: new Set([...state.fresh, id]) } : state
  const gone = new Set([...state.gone].filter((one) => one !== id))
  return { ...state, gone, rows: state.rows.with(at, { ...state.rows[at], ...record }) }
}
