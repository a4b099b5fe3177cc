/** Answers as state of a screen. */
import { useCallback, useEffect, useState } from 'react'
import { type Answer, ask, isAborted, recordIn, sentences } from './api.ts'
import type { RecordData } from './catalog.ts'
import { useSession } from './session.ts'

export interface Asked {
  readonly answer: Answer | undefined
  readonly failure: string | undefined
  /** How many seconds the server asks to wait. */
  readonly waits?: number | undefined
  again(): void
}

/** The answer to a GET of `path`; asked again when somebody else signs in. An undefined path asks nothing. */
export function useAnswer(path: string | undefined, can = false): Asked {
  const { ended, turn } = useSession()
  const [count, setCount] = useState(0)
  const [state, setState] = useState<{ path?: string; answer?: Answer; failure?: string; waits?: number }>({})
  // biome-ignore lint/correctness/useExhaustiveDependencies: `turn` and `count` say when the answer may be another one
  useEffect(() => {
    if (path === undefined || ended) return
    const stop = new AbortController()
    const onWait = (waits: number): void => setState((before) => ({ ...before, path, waits }))
    ask(path, { can, onWait, signal: stop.signal }).then(
      (answer) => setState({ path, answer }),
      // What was there stays, with the sentence over it.
      (error) =>
        isAborted(error) ||
        setState((before) => ({
          ...(before.path === path && before.answer !== undefined ? { answer: before.answer } : {}),
          path,
          failure: sentences(error),
        })),
    )
    return () => stop.abort()
  }, [path, can, ended, turn, count])
  const again = useCallback(() => setCount((before) => before + 1), [])
  const isLost = path !== undefined && state.failure !== undefined
  useEffect(() => {
    if (!isLost) return
    addEventListener('online', again)
    return () => removeEventListener('online', again)
  }, [isLost, again])
  const { answer, failure, waits } = state.path === path ? state : {}
  return { answer, failure, waits, again }
}

export interface OneRecord {
  readonly record: RecordData | undefined
  readonly answer: Answer | undefined
  readonly failure: string | undefined
  readonly waits: number | undefined
  again(): void
}

/** One record with its entity tag, and what its reader may do to it. */
export function useRecord(path: string): OneRecord {
  const { again, answer, failure, waits } = useAnswer(path, true)
  return { record: answer === undefined ? undefined : recordIn(answer), answer, failure, waits, again }
}
