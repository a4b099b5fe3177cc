/** The id of the account of the reader, for conditions and values that name `$actor`. */
import { useEffect, useState } from 'react'
import { ask } from './api.ts'
import { type Catalog, type Json, type RecordData, valueAt } from './catalog.ts'
import { accountId, useSession } from './session.ts'

const known = new Map<number, Json>()

/** The id; null as long as it is not known, and for those who are not signed in. */
export function useMe(catalog: Catalog, isNeeded = true): Json {
  const { token, turn } = useSession()
  const path = catalog.routes.find(({ method, path: one }) => method === 'GET' && one.endsWith('/auth/me'))?.path
  const [, setTurn] = useState(-1)
  useEffect(() => {
    if (!isNeeded || token === undefined || path === undefined || known.has(turn) || accountId() !== null) return
    const stop = new AbortController()
    ask(path, { signal: stop.signal }).then(
      ({ data }) => {
        known.set(turn, valueAt(data as RecordData, 'id'))
        setTurn(turn)
      },
      () => undefined,
    )
    return () => stop.abort()
  }, [isNeeded, token, turn, path])
  return accountId() ?? known.get(turn) ?? null
}
