/** Parts that several pages of the plugin have. */
import { Failed, type Json, Loading, Table, useWords } from 'plinth/console'
import type { ReactNode } from 'react'
import type { Access, Diagnostic, Plan, Step } from './told.ts'
import { WORDS, type Words } from './words.ts'

export function useText(): Words {
  return useWords(WORDS)
}

/** The data of an answer once it is there; before that what is on its way, or why it failed. */
export function Answered<T>({
  answer: { again, data, failure },
  children,
}: {
  readonly answer: { readonly data: Json | undefined; readonly failure: string | undefined; again(): void }
  readonly children: (data: T) => ReactNode
}): ReactNode {
  if (data === undefined) return failure === undefined ? <Loading /> : <Failed onAgain={again} text={failure} />
  return (
    <>
      {failure === undefined ? null : <Failed onAgain={again} text={failure} />}
      {children(data as T)}
    </>
  )
}

/** Why what a person asked for has failed; nothing where it has not. */
export function Failure({ text }: { readonly text: string | undefined }): ReactNode {
  return text === undefined ? null : (
    <p className="bad" role="alert">
      {text}
    </p>
  )
}

/** Who may, in words; several are alternatives. */
export function whoText(access: readonly Access[] | undefined, text: Words, otherwise: string): string {
  if (access === undefined) return otherwise
  if (access.length === 0) return text.nobody
  return access.map((one) => accessText(one, text)).join(', ')
}

function accessText(access: Access, text: Words): string {
  if (access.kind === 'permission') return text.permission(access.permission)
  if (access.kind === 'role') return text.role(access.roles.join(', '))
  return access.kind === 'anyone' ? text.everyone : text.signedIn
}

/** The folder is the same for all places of a file: its name and line are enough. */
export function Place({ place }: { readonly place: string }): ReactNode {
  const [, name = place] = /([^/]+)$/.exec(place) ?? []
  return <code title={place}>{name}</code>
}

export interface Section {
  readonly title: string
  readonly head: readonly string[]
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[]
}

/** A card with a table; nothing where it has no rows. */
export function TableCard({ head, rows, title }: Section): ReactNode {
  if (rows.length === 0) return null
  return (
    // The table itself is a landmark of this name.
    <div className="card">
      <h2>{title}</h2>
      <Table caption={title} head={head} rows={rows} />
    </div>
  )
}

/** The steps of a plan, each with what a start makes of it. */
export function PlanSteps({ plan }: { readonly plan: Plan | null | undefined }): ReactNode {
  const text = useText()
  if (plan == null) return <p className="soft">{text.nothing}</p>
  if (plan.steps.length === 0) return <p className="soft">{text.nothingToDo}</p>
  return (
    <ul className="schema-lines">
      {plan.steps.map((step) => (
        <li className={step.start === 'refuses' ? 'bad' : undefined} key={step.title}>
          {step.title}
          {noteOf(step, text).map((note) => (
            <small key={note}>{note}</small>
          ))}
        </li>
      ))}
    </ul>
  )
}

function noteOf({ advice, reason, start }: Step, text: Words): readonly string[] {
  const waits = start === 'refuses' ? [text.refused] : start === 'leaves' ? [text.left] : []
  return [...waits, ...(reason === undefined ? [] : [reason]), ...(advice === undefined ? [] : [advice])]
}

/** What is wrong, each with its file and line; `onOpen` shows the place. */
export function Mistakes({
  diagnostics,
  onOpen,
}: {
  readonly diagnostics: readonly Diagnostic[]
  readonly onOpen?: ((diagnostic: Diagnostic) => void) | undefined
}): ReactNode {
  const text = useText()
  return (
    <ul className="schema-lines">
      {diagnostics.map((one) => {
        const { file, from, hint, message, severity } = one
        const place = file === undefined ? undefined : `${file.split('/').at(-1)}:${from?.line ?? 1}`
        return (
          <li className={severity === 'error' ? 'bad' : undefined} key={`${place} ${message}`}>
            {message}
            {hint === undefined ? null : <small>{hint}</small>}
            {place === undefined ? null : onOpen === undefined ? (
              <small>{place}</small>
            ) : (
              <button className="plain link" onClick={() => onOpen(one)} type="button">
                {place} ({text.atLine(from?.line ?? 1)})
              </button>
            )}
          </li>
        )
      })}
    </ul>
  )
}
