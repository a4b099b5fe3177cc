/** Answers as state of a screen: one answer, or the pages of a list that grows by its cursor. */
import { useCallback, useEffect, useRef, useState } from 'react'
import { type Answer, ask, isAborted, type Pagination, recordIn, rowsIn, sentence } from './api.ts'
import type { RecordData } from './catalog.ts'
import { useSession } from './session.ts'

export interface Asked {
  readonly answer: Answer | undefined
  readonly failure: string | undefined
  again(): void
}

/** The answer to a GET of `path`; asked again when somebody else signs in. An undefined path asks nothing. */
export function useAnswer(path: string | undefined): Asked {
  const { ended, turn } = useSession()
  const [count, setCount] = useState(0)
  const [state, setState] = useState<{ path?: string; answer?: Answer; failure?: string }>({})
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` and `count` say when the answer may be another one
  useEffect(() => {
    if (path === undefined || ended) return
    const stop = new AbortController()
    ask(path, { signal: stop.signal }).then(
      (answer) => setState({ path, answer }),
      (error) => isAborted(error) || setState({ path, failure: sentence(error) }),
    )
    return () => stop.abort()
  }, [path, ended, turn, count])
  const again = useCallback(() => setCount((before) => before + 1), [])
  const isOwn = state.path === path
  return { answer: isOwn ? state.answer : undefined, failure: isOwn ? state.failure : undefined, again }
}

export interface Pages {
  readonly rows: readonly RecordData[]
  readonly pagination: Pagination | undefined
  readonly isAsking: boolean
  readonly failure: string | undefined
  /** Reads the next page, unless all are there or one is on its way. */
  more(): void
  again(): void
}

const NONE: readonly RecordData[] = []

interface PagesState {
  readonly address?: string
  readonly rows: readonly RecordData[]
  readonly pagination?: Pagination
  readonly failure?: string
}

/** The records of a list, page after page; `query` is that of the API without pages. */
export function usePages(path: string, query: string, perPage: number): Pages {
  const { ended, turn } = useSession()
  const [count, setCount] = useState(0)
  const address = `${path}?${query === '' ? '' : `${query}&`}per_page=${perPage}&turn=${turn}.${count}`
  const [state, setState] = useState<PagesState>({ rows: NONE })
  const [isAsking, setAsking] = useState(false)
  const asking = useRef<AbortController | undefined>(undefined)
  const own = state.address === address
  const counted = own ? state.pagination : undefined
  const next = counted?.next_cursor

  const load = useCallback(
    (cursor: string | undefined, before: readonly RecordData[], total?: Pagination) => {
      asking.current?.abort()
      const stop = new AbortController()
      asking.current = stop
      setAsking(true)
      // The first page says how many there are; those by cursor do not count again.
      const asked = address.replace(/&turn=.*$/, cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`)
      ask(asked, { signal: stop.signal })
        .then((answer) => {
          const pagination = { ...answer.meta.pagination, ...total }
          pagination.next_cursor = answer.meta.pagination?.next_cursor ?? null
          setState({ address, rows: [...before, ...rowsIn(answer)], pagination })
        })
        .catch((error) => isAborted(error) || setState({ address, rows: before, failure: sentence(error) }))
        .finally(() => stop.signal.aborted || setAsking(false))
    },
    [address],
  )

  useEffect(() => {
    if (!ended) load(undefined, NONE)
    return () => asking.current?.abort()
  }, [load, ended])

  const rows = own ? state.rows : NONE
  const more = useCallback(() => {
    if (!isAsking && typeof next === 'string') load(next, rows, counted)
  }, [isAsking, next, load, rows, counted])
  const again = useCallback(() => setCount((before) => before + 1), [])
  return {
    rows,
    pagination: counted,
    isAsking: isAsking || !own,
    failure: own ? state.failure : undefined,
    more,
    again,
  }
}

export interface OneRecord {
  readonly record: RecordData | undefined
  readonly answer: Answer | undefined
  readonly failure: string | undefined
  again(): void
}

/** One record with its entity tag. */
export function useRecord(path: string): OneRecord {
  const { answer, failure, again } = useAnswer(path)
  return { record: answer === undefined ? undefined : recordIn(answer), answer, failure, again }
}
