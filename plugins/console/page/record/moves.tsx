/** Moves as buttons: the words, or the other records, that may follow the present one. */
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components'
import { type Answer, ask, rowsIn } from '../client/api.ts'
import { useAnswer } from '../client/asking.ts'
import {
  type Catalog,
  idOf,
  isRecord,
  type Json,
  type Moves,
  type RecordData,
  type Resource,
  titleOf,
  valueAt,
} from '../client/catalog.ts'
import { notifyChange } from '../client/undo.ts'
import { inputsOf, storedValue } from '../form/draft.ts'
import { wordText } from '../format.tsx'
import { WorkFailure } from '../shell/parts.tsx'
import { useWork, type Work } from '../shell/work.ts'
import { words } from '../words/words.ts'
import type { Controls } from './controls.ts'

interface MovesProps {
  readonly catalog: Catalog
  readonly resource: Resource
  readonly record: RecordData
  readonly answer: Answer
  readonly controls: Controls
  readonly path: string
  readonly again: () => void
}

export function MoveButtons(props: MovesProps): ReactNode {
  // The buttons go with the right, and the sentence that says so must not go with them.
  const work = useWork()
  const entries = Object.entries(props.resource.moves)
  return (
    <>
      {entries.map(([name, moves]) =>
        moves.by === undefined ? (
          <WordMoves key={name} {...props} moves={moves} name={name} work={work} />
        ) : (
          <RecordMoves key={name} {...props} by={moves.by} moves={moves} name={name} work={work} />
        ),
      )}
      <WorkFailure work={work} />
    </>
  )
}

type OneProps = MovesProps & { readonly name: string; readonly moves: Moves; readonly work: Work }

/** The words that may follow, in the order in which they are declared. */
function allowed({ controls, moves, name }: OneProps): readonly string[] {
  const given = controls.moves[name] ?? []
  return moves.words === undefined ? given : moves.words.filter((word) => given.includes(word))
}

function WordMoves(props: OneProps): ReactNode {
  const { name, record, resource } = props
  const now = record[name] ?? null
  const field = resource.fields[name]
  if (field === undefined) return null
  const next = allowed(props).filter((word) => word !== now)
  const steps = next.map((word) => ({ value: word, label: wordText(word, field.values) }))
  return <Buttons {...props} label={field.label} steps={steps} />
}

/** Most records of the other resource that become buttons; the form offers all of them. */
const MOST = 8

/** The other records whose word may follow, in the order of their list. */
function RecordMoves(props: OneProps & { readonly by: string }): ReactNode {
  const { by, catalog, controls, name, record, resource } = props
  const relation = resource.relations[name]
  const target = relation?.to === undefined ? undefined : catalog.resources[relation.to]
  const isOffered = target?.actions.includes('list') === true && controls.edit.has(relation?.field ?? '')
  const { answer } = useAnswer(isOffered ? `${target.path}?per_page=50` : undefined)
  if (target === undefined || relation?.field === undefined || answer === undefined) return null
  const rows = rowsIn(answer)
  const present = record[name]
  const id = isRecord(present) ? idOf(present) : String(record[relation.field] ?? '')
  const now = valueAt(
    rows.find((row) => idOf(row) === id),
    by,
  )
  const next = allowed(props)
  // Keeping the word is no move: another record of the same word may always follow.
  const fitting = rows.filter((row) => idOf(row) !== id && (row[by] === now || next.includes(String(row[by]))))
  const steps = fitting.slice(0, MOST).map((row) => ({ value: row.id ?? null, label: titleOf(target, row) }))
  return <Buttons {...props} label={relation.label} name={relation.field} steps={steps} />
}

interface ButtonsProps extends MovesProps {
  readonly work: Work
  readonly name: string
  readonly label: string
  readonly steps: readonly { readonly value: Json; readonly label: string }[]
}

function Buttons({ again, answer, label, name, path, record, resource, steps, work }: ButtonsProps): ReactNode {
  if (steps.length === 0) return null
  const move = (value: Json, text: string): void =>
    work.run(async (signal, onWait) => {
      const body = { [name]: value }
      const moved = await ask(path, { method: 'PATCH', body, ifMatch: answer.etag, signal, onWait }).catch((error) => {
        // What may be done is another thing than it was, or so is the record.
        again()
        throw error
      })
      const input = inputsOf(resource, 'update', undefined).find((one) => one.name === name)
      const valueIn = (of: RecordData): Json => (input === undefined ? (of[name] ?? null) : storedValue(input, of))
      const before = { [name]: valueIn(record) }
      const way = { path, etag: moved.etag, before, isStill: (now: RecordData) => valueIn(now) === value }
      notifyChange(words().moveTo(label, text), way, again)
      // The button goes with the step that it was.
      document.getElementById('content')?.focus({ preventScroll: true })
      again()
    })
  return (
    <div aria-label={`${words().moves}: ${label}`} className="row moves" role="group">
      <span className="soft">{label}:</span>
      {steps.map((step) => (
        <Button
          className="button"
          isPending={work.isBusy}
          key={String(step.value)}
          onPress={() => move(step.value, step.label)}
        >
          <span aria-hidden="true" className="flip">
            →
          </span>{' '}
          {step.label}
        </Button>
      ))}
    </div>
  )
}
