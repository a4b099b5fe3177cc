/** Work that a person started, such as saving: whether it runs, how long the server asks to wait, and why it failed. */
import { useEffect, useRef, useState } from 'react'
import { isAborted } from '../client/api.ts'

/** How work can be stopped, and whom it tells that the server asks to wait. */
export interface Doing {
  readonly signal: AbortSignal
  readonly onWait: (seconds: number) => void
}

export interface Work {
  readonly isBusy: boolean
  readonly waits: number | undefined
  readonly failure: unknown
  run(work: (signal: AbortSignal, onWait: (seconds: number) => void) => Promise<void>): void
  forget(): void
}

const IDLE = { isBusy: false, waits: undefined, failure: undefined }

/** One piece of work at a time; it is given up when the screen goes. */
export function useWork(): Work {
  const [state, setState] = useState<Pick<Work, 'isBusy' | 'waits' | 'failure'>>(IDLE)
  const stop = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const run: Work['run'] = (work) => {
    stop.current?.abort()
    const own = new AbortController()
    stop.current = own
    setState({ ...IDLE, isBusy: true })
    work(own.signal, (waits) => setState({ ...IDLE, isBusy: true, waits })).then(
      () => own.signal.aborted || setState(IDLE),
      (failure) => isAborted(failure) || setState({ ...IDLE, failure }),
    )
  }
  return { ...state, run, forget: () => setState(IDLE) }
}
