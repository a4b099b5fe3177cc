/** Work that a person started, such as saving: whether it runs, how long the server asks to wait, and why it failed. */
import { useEffect, useRef, useState } from 'react'
import { isAborted } from '../client/api.ts'

export interface Work {
  readonly isBusy: boolean
  readonly waits: number | undefined
  readonly failure: unknown
  run(work: (signal: AbortSignal, onWait: (seconds: number) => void) => Promise<void>): void
  forget(): void
}

/** One piece of work at a time; it is given up when the screen goes. */
export function useWork(): Work {
  const [state, setState] = useState<Pick<Work, 'isBusy' | 'waits' | 'failure'>>({
    isBusy: false,
    waits: undefined,
    failure: undefined,
  })
  const stop = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const run: Work['run'] = (work) => {
    stop.current?.abort()
    const own = new AbortController()
    stop.current = own
    setState({ isBusy: true, waits: undefined, failure: undefined })
    work(own.signal, (waits) => setState({ isBusy: true, waits, failure: undefined })).then(
      () => own.signal.aborted || setState({ isBusy: false, waits: undefined, failure: undefined }),
      (failure) => isAborted(failure) || setState({ isBusy: false, waits: undefined, failure }),
    )
  }
  return { ...state, run, forget: () => setState({ isBusy: false, waits: undefined, failure: undefined }) }
}
