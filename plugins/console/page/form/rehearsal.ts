/** What the server says of a draft before it is saved: what is wrong with the fields that were filled in, and what would follow. */
import { useEffect, useRef, useState } from 'react'
import { type Answer, Refusal, recordIn } from '../client/api.ts'
import type { RecordData } from '../client/catalog.ts'
import { type Draft, isSame } from './draft.ts'

export interface Rehearsal {
  /** By name, the sentences about values that the draft still has. */
  readonly errors: Refusal['errors']
  /** The record as it would be; undefined where nobody knows. */
  readonly record: RecordData | undefined
}

/** Sends a draft as a dry run. */
export type Rehearse = (draft: Draft, signal: AbortSignal) => Promise<Answer>

const NOTHING: Rehearsal = { errors: {}, record: undefined }
/** The least time between two dry runs. */
const PAUSE_MS = 1000

interface Told extends Rehearsal {
  readonly of: Draft
}

/** The rehearsal of a draft, made anew when its reader leaves a field, at most once a second; a newer one ends it. */
export function useRehearsal(draft: Draft, rehearse: Rehearse): Rehearsal & { readonly left: () => void } {
  const [told, setTold] = useState<Told>({ ...NOTHING, of: {} })
  const latest = useRef({ draft, rehearse, at: 0, timer: 0, stop: new AbortController() })
  latest.current.draft = draft
  latest.current.rehearse = rehearse
  useEffect(() => () => giveUp(latest.current), [])
  const run = (): void => {
    const now = latest.current
    const { draft: of } = now
    now.stop.abort()
    now.stop = new AbortController()
    if (Object.keys(of).length === 0) {
      setTold({ ...NOTHING, of })
      return
    }
    now.at = Date.now()
    const { signal } = now.stop
    now.rehearse(of, signal).then(
      (answer) => signal.aborted || setTold({ errors: {}, record: recordIn(answer), of }),
      (error) => signal.aborted || setTold({ errors: errorsIn(error), record: undefined, of }),
    )
  }
  const left = (): void => {
    const now = latest.current
    clearTimeout(now.timer)
    now.timer = window.setTimeout(run, Math.max(0, now.at + PAUSE_MS - Date.now()))
  }
  const names = Object.keys(told.errors).filter((name) => {
    const [field = ''] = name.split('.')
    return field in draft && isSame(draft[field] ?? null, told.of[field] ?? null)
  })
  const errors = Object.fromEntries(names.map((name) => [name, told.errors[name] ?? []]))
  return { errors, record: told.record, left }
}

function giveUp({ stop, timer }: { readonly stop: AbortController; readonly timer: number }): void {
  stop.abort()
  clearTimeout(timer)
}

/** What a refusal says about fields; one that says nothing of them is left to the save. */
function errorsIn(error: unknown): Refusal['errors'] {
  return error instanceof Refusal && error.status === 422 ? error.errors : {}
}
