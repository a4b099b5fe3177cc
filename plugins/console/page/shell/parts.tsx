/** Parts that every screen has: what is on its way, what failed, and messages. */
import { Component, type ErrorInfo, type FocusEvent, type ReactNode, useRef } from 'react'
import { Button } from 'react-aria-components'
import { sentences } from '../client/api.ts'
import { dismiss, useNotices } from '../client/notices.ts'
import { words } from '../words/words.ts'
import { Why } from './why.tsx'
import type { Work } from './work.ts'

/** Appears after a moment, because most answers come at once; says how long the server asks to wait. */
export function Loading({ waits }: { readonly waits?: number | undefined }): ReactNode {
  return (
    <p className="loading soft" role="status">
      {waits === undefined ? words().loading : words().waiting(waits)}
    </p>
  )
}

export function Failed({ onAgain, text }: { readonly text: string; readonly onAgain?: () => void }): ReactNode {
  return (
    <div className="failed" role="alert">
      <p className="bad">{text}</p>
      <Why text={text} />
      {onAgain === undefined ? null : (
        <Button className="button" onPress={onAgain}>
          {words().tryAgain}
        </Button>
      )}
    </div>
  )
}

/** Why work that a person started has failed; nothing where it has not. */
export function WorkFailure({ work }: { readonly work: Pick<Work, 'failure'> }): ReactNode {
  return work.failure === undefined ? null : (
    <p className="bad" role="alert">
      {sentences(work.failure)} <Why text={sentences(work.failure)} />
    </p>
  )
}

interface GoingProps {
  readonly does: string
  readonly max: number
  /** How much is done; undefined: nobody knows. */
  readonly value: number | undefined
  readonly work: Work
}

/** How far long work is, and why it stopped. */
export function Going({ does, max, value, work }: GoingProps): ReactNode {
  return (
    <>
      {work.isBusy ? <progress aria-label={does} max={max} value={value} /> : null}
      {work.waits === undefined ? null : <p className="soft">{words().waiting(work.waits)}</p>}
      <WorkFailure work={work} />
    </>
  )
}

interface FormEndProps {
  readonly does: string
  readonly isBusy?: boolean
  readonly kind?: 'primary' | 'danger'
  readonly onCancel: () => void
}

/** The end of a form in a dialog: leave it, or do what it is for. */
export function FormEnd({ does, isBusy = false, kind = 'primary', onCancel }: FormEndProps): ReactNode {
  return (
    <div className="row end">
      <Button className="button" onPress={onCancel}>
        {words().cancel}
      </Button>
      <button className={`button ${kind}`} disabled={isBusy} type="submit">
        {does}
      </button>
    </div>
  )
}

/** The newest message, spoken when it comes. */
export function Notices(): ReactNode {
  const notices = useNotices()
  const before = useRef<EventTarget | null>(null)
  const entered = ({ currentTarget, relatedTarget }: FocusEvent): void => {
    if (!currentTarget.contains(relatedTarget as Node | null)) before.current = relatedTarget
  }
  /** Takes a message away; the focus goes back to where it was before. */
  const end = (id: number): void => {
    const to = before.current
    const isThere = to instanceof HTMLElement && to.isConnected
    ;(isThere ? to : document.getElementById('content'))?.focus({ preventScroll: !isThere })
    dismiss(id)
  }
  return (
    <div aria-live="polite" className="notices" onFocus={entered} role="status">
      {notices.map(({ action, id, text }) => (
        <div className="notice" key={id}>
          <span>{text}</span>
          {action === undefined ? null : (
            <Button
              className="button"
              onPress={() => {
                end(id)
                action.run()
              }}
            >
              {action.label}
            </Button>
          )}
          <Button aria-label={words().dismiss} className="button plain" onPress={() => end(id)}>
            ×
          </Button>
        </div>
      ))}
    </div>
  )
}

interface FenceProps {
  readonly children: ReactNode
  /** The plugin whose part is inside. */
  readonly plugin?: string
  /** Called before the part is drawn again. */
  readonly onAgain?: () => void
}

/** Keeps the rest of the page when a screen fails. */
export class Fence extends Component<FenceProps, { readonly failure?: Error | undefined }> {
  override state: { readonly failure?: Error | undefined } = {}

  static getDerivedStateFromError(failure: Error): { readonly failure: Error } {
    return { failure }
  }

  override componentDidCatch(failure: Error, { componentStack }: ErrorInfo): void {
    console.error(failure, componentStack)
  }

  override render(): ReactNode {
    const { failure } = this.state
    const { onAgain, plugin } = this.props
    if (failure === undefined) return this.props.children
    if (plugin !== undefined) {
      const again = (): void => {
        onAgain?.()
        this.setState({ failure: undefined })
      }
      return <Failed onAgain={again} text={words().failedPlugin(plugin)} />
    }
    return (
      <div className="failed" role="alert">
        <p className="bad">{words().failedPart}</p>
        <Button className="button" onPress={() => location.reload()}>
          {words().reload}
        </Button>
      </div>
    )
  }
}
