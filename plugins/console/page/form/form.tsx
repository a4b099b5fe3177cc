/** A form: an editor for each input, errors at their fields, and a summary that takes the focus. */
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Refusal, sentence } from '../client/api.ts'
import { type Catalog, isRecord, type Json, nameOf, type RecordData, type Resource } from '../client/catalog.ts'
import { holds } from '../client/holds.ts'
import { useMe } from '../client/me.ts'
import { useChord } from '../shell/keys.tsx'
import type { useFiles } from '../record/files.tsx'
import type { Work } from '../shell/work.ts'
import { words } from '../words/words.ts'
import { type Draft, type Input, inputAt, rowsOf, valuesIn } from './draft.ts'
import { Editor } from './editor.tsx'
import { Follows } from './follows.tsx'
import { ManyPicker, Picker } from './picker.tsx'
import { type Rehearse, useRehearsal } from './rehearsal.ts'
import { sourceOf } from './source.ts'

interface FormProps {
  readonly catalog: Catalog
  readonly resource: Resource
  readonly inputs: readonly Input[]
  readonly draft: Draft
  /** The record that is changed; empty for a new one. */
  readonly record: RecordData
  readonly valueFor: (input: Input) => Json
  readonly onChange: (name: string, value: Json) => void
  readonly onSave: () => void
  readonly rehearse: Rehearse
  readonly onCancel: () => void
  readonly work: Work
  readonly children?: ReactNode
  /** Files that go with the record, and how they are dropped and pasted. */
  readonly files?: ReactNode
  readonly on?: ReturnType<typeof useFiles>['on']
}

interface Mistake {
  readonly input: Input | undefined
  readonly key: string
  readonly text: string
}

/** What the server refuses, each mistake with the input that it is about. */
function mistakesIn(inputs: readonly Input[], failure: unknown): readonly Mistake[] {
  if (failure === undefined) return []
  const errors = failure instanceof Refusal ? failure.errors : {}
  if (Object.keys(errors).length === 0) return [{ input: undefined, key: '', text: whyRefused(failure) }]
  return mistakesOf(inputs, errors)
}

function mistakesOf(inputs: readonly Input[], errors: Refusal['errors']): readonly Mistake[] {
  return Object.entries(errors).map(([key, said]) => ({ input: inputAt(inputs, key), key, text: said.join('. ') }))
}

/** Why a whole form is refused, and that nothing that was typed is lost. */
function whyRefused(failure: unknown): string {
  const status = failure instanceof Refusal ? failure.status : undefined
  if (status === 404 || status === 410) return words().goneTyped
  return status === 403 ? `${sentence(failure)} ${words().rightTaken}` : sentence(failure)
}

/** Texts that are no value yet, such as half of an object. */
function useBroken(): {
  readonly broken: Readonly<Record<string, string>>
  note(name: string, sentence: string | undefined): void
} {
  const [broken, setBroken] = useState<Readonly<Record<string, string>>>({})
  const note = (name: string, text: string | undefined): void => {
    const { [name]: _, ...others } = broken
    setBroken(text === undefined ? others : { ...others, [name]: text })
  }
  return { broken, note }
}

/** What is wrong with each input, and with the whole: what cannot be sent, what was refused, and what would be. */
function useMistakes({ draft, inputs, rehearse, work }: FormProps) {
  const { broken, note } = useBroken()
  const rehearsal = useRehearsal(draft, rehearse)
  const refused = mistakesIn(inputs, work.failure)
  const foreseen = mistakesOf(inputs, rehearsal.errors)
  const errorOf = (name: string): string | undefined =>
    broken[name] ?? [...refused, ...foreseen].find(({ input }) => input?.name === name)?.text
  return { broken, note, rehearsal, refused, errorOf }
}

/** The inputs that are there with these answers. */
function useThere({ catalog, inputs, record, valueFor }: FormProps): readonly Input[] {
  const me = useMe(catalog, JSON.stringify(inputs.map(({ when }) => when)).includes('$actor'))
  const values = valuesIn(inputs, record, valueFor)
  return inputs.filter(({ when }) => holds(when, values, me))
}

export function Form(props: FormProps): ReactNode {
  const { catalog, children, draft, inputs, onCancel, onChange, onSave, record, resource, valueFor, work } = props
  const form = useRef<HTMLFormElement>(null)
  const { broken, errorOf, note, refused, rehearsal } = useMistakes(props)
  const there = useThere(props)
  const focus = (name: string): void =>
    form.current?.querySelector<HTMLElement>(`[data-name="${CSS.escape(name)}"]`)?.focus()
  const save = (): void => {
    const [first] = Object.keys(broken)
    if (first !== undefined) focus(first)
    else if (!work.isBusy) onSave()
  }
  useChord('enter', save)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save()
  }
  return (
    <form className="form" noValidate onBlur={rehearsal.left} onSubmit={submit} ref={form} {...props.on}>
      <Summary failure={work.failure} mistakes={refused} onFocus={focus} />
      {children}
      {rowsOf(resource, there).map((row) => (
        <div className="beside" key={row.map(({ name }) => name).join()}>
          {row.map((input) => (
            <Question
              {...{ catalog, draft, input, record }}
              error={errorOf(input.name)}
              key={input.name}
              onBroken={(text) => note(input.name, text)}
              onChange={(value) => onChange(input.name, value)}
              value={valueFor(input)}
            />
          ))}
        </div>
      ))}
      <Follows after={rehearsal.record} before={record} {...{ catalog, inputs, resource }} />
      {props.files}
      <Ends onCancel={onCancel} work={work} />
    </form>
  )
}

/** How a form is sent and left, and what it waits for. */
function Ends({ onCancel, work }: Pick<FormProps, 'onCancel' | 'work'>): ReactNode {
  return (
    <>
      <p className="soft" role="status">
        {work.waits === undefined ? '' : words().waiting(work.waits)}
      </p>
      <div className="row sticky">
        <button className="button primary" type="submit">
          {work.isBusy ? words().saving : words().save}
        </button>
        <button className="button" onClick={onCancel} type="button">
          {words().cancel}
        </button>
      </div>
    </>
  )
}

interface SummaryProps {
  readonly failure: unknown
  readonly mistakes: readonly Mistake[]
  readonly onFocus: (name: string) => void
}

function Summary({ failure, mistakes, onFocus }: SummaryProps): ReactNode {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (failure !== undefined) box.current?.focus()
  }, [failure])
  if (mistakes.length === 0) return null
  return (
    <div className="summary bad" ref={box} role="alert" tabIndex={-1}>
      <p>{words().fixThese}</p>
      <ul>
        {mistakes.map(({ input, key, text }) => (
          <li key={key}>
            {input === undefined ? (
              text
            ) : (
              <button className="plain link" onClick={() => onFocus(input.name)} type="button">
                {input.label}: {text}
              </button>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface QuestionProps {
  readonly catalog: Catalog
  readonly draft: Draft
  readonly input: Input
  readonly value: Json
  readonly record: RecordData
  readonly error: string | undefined
  readonly onChange: (value: Json) => void
  readonly onBroken: (sentence: string | undefined) => void
}

/** One question by its kind: a value, another record, or several. */
export function Question(props: QuestionProps): ReactNode {
  const { catalog, draft, error, input, onBroken, onChange, record, value } = props
  const { description, field, isMany, isRequired, label, name, relation, relationName = '' } = input
  const source = sourceOf(catalog, input, record, draft)
  const shared = { label, description, error, isRequired, inputName: name }
  if (source !== undefined && relation !== undefined && isMany) {
    const parts = record[relationName]
    const known = Array.isArray(parts) ? (parts as readonly Json[]).filter(isRecord) : []
    const names = new Map(known.map((part) => [String(part.id), nameOf(catalog, relation, part)]))
    const values = Array.isArray(value) ? (value as readonly Json[]) : []
    return <ManyPicker {...shared} names={names} onChange={onChange} source={source} values={values} />
  }
  if (source !== undefined && relation !== undefined) {
    const part = record[relationName]
    const isStored = isRecord(part) && String(part.id) === String(value)
    const pick = (id: string | null, picked?: RecordData): void => onChange(picked?.id ?? id)
    const stored = isStored ? nameOf(catalog, relation, part) : undefined
    return <Picker {...shared} name={stored} onPick={pick} source={source} value={value} />
  }
  if (field === undefined) return null
  return <Editor {...{ description, error, field, isRequired, label, name, onBroken, onChange, value }} />
}
