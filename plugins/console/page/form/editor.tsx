/** One editor for each kind of value. What it gives is what the API takes; an empty text is no value. */
import { type ReactNode, useId, useState } from 'react'
import { type Field, type Json, takes } from '../client/catalog.ts'
import { wordText } from '../format.tsx'
import { Added } from '../kit/added.tsx'
import type { Control } from '../kit/define.ts'
import { words } from '../words/words.ts'
import { WIDGETS } from './widgets.tsx'

export interface EditorProps {
  readonly name: string
  readonly label: string
  readonly description?: string | undefined
  readonly field: Field
  readonly isRequired: boolean
  readonly value: Json
  readonly error: string | undefined
  readonly onChange: (value: Json) => void
  /** Says that the text cannot be sent, or by undefined that it can. */
  readonly onBroken: (sentence: string | undefined) => void
}

export function Editor(props: EditorProps): ReactNode {
  const { description, error, field, isRequired, label, name } = props
  const id = useId()
  const hint = hintOf(field, description)
  const about = [hint === undefined ? undefined : `${id}-hint`, error === undefined ? undefined : `${id}-error`]
  const control: Control = {
    id,
    'data-name': name,
    'aria-invalid': error !== undefined,
    'aria-describedby': about.filter((part) => part !== undefined).join(' ') || undefined,
    'aria-required': isRequired,
  }
  const isCheck = field.type === 'boolean' && !field.nullable
  return (
    <div className={isCheck ? 'field check' : 'field'}>
      <label htmlFor={id}>
        {label} {isRequired && !isCheck ? <span className="soft">({words().required})</span> : null}
      </label>
      <ControlOf {...props} control={control} />
      {hint === undefined ? null : <small id={`${id}-hint`}>{hint}</small>}
      {error === undefined ? null : (
        <small className="bad" id={`${id}-error`}>
          {error}
        </small>
      )}
    </div>
  )
}

function hintOf({ schema, type, words: offered }: Field, description: string | undefined): string | undefined {
  const isLines = offered === undefined && (type === 'list' || takes(schema, 'array'))
  const ofType = isLines ? words().oneALine : undefined
  return [description, ofType].filter((part) => part !== undefined).join(' · ') || undefined
}

type Props = EditorProps & { readonly control: Control }

/** The control for a field: by its type where that says more than its schema, and by its schema for types of plugins. */
function ControlOf(props: Props): ReactNode {
  const { type, widget } = props.field
  const Widget = widget === undefined || (widget === 'code' && type === 'json') ? undefined : WIDGETS[widget]
  if (Widget !== undefined) return <Widget {...props} />
  return <Added given={props} kind="editors" name={widget ?? ''} otherwise={<UsualControl {...props} />} />
}

function UsualControl(props: Props): ReactNode {
  const { schema, type } = props.field
  if (type === 'boolean' || takes(schema, 'boolean')) return <BooleanControl {...props} />
  if (props.field.words !== undefined) return <ChoicesControl {...props} />
  if (schema.enum !== undefined) return <WordControl {...props} />
  if (type === 'text') return <LongControl {...props} />
  if (type === 'date' || schema.format === 'date') return <TextControl {...props} type="date" />
  if (type === 'timestamp' || schema.format === 'date-time') return <MomentControl {...props} />
  if (takes(schema, 'array') && takes(schema.items ?? {}, 'string')) return <ListControl {...props} />
  if (takes(schema, 'object') || takes(schema, 'array') || type === 'json') return <JsonControl {...props} />
  if (takes(schema, 'string')) return <TextControl {...props} type={TEXT_TYPES[type] ?? 'text'} />
  return <NumberControl {...props} />
}

const TEXT_TYPES: Readonly<Record<string, string>> = { email: 'email', secret: 'password' }
const DIGITS = new Set(['decimal', 'bigint', 'sequence'])

function textOf(value: Json): string {
  return value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function TextControl({ control, field, onChange, type, value }: Props & { readonly type: string }): ReactNode {
  return (
    <input
      {...control}
      autoComplete={type === 'password' ? 'new-password' : 'off'}
      inputMode={DIGITS.has(field.type) ? 'decimal' : undefined}
      maxLength={field.schema.maxLength}
      onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
      type={type}
      value={textOf(value)}
    />
  )
}

/** A number as people type it; what is none is sent as it is, and the server says what is wrong. */
function NumberControl({ control, field, onChange, value }: Props): ReactNode {
  const read = (text: string): Json => {
    const number = Number(text)
    return text.trim() === '' ? null : Number.isFinite(number) && String(number) === text.trim() ? number : text
  }
  return (
    <input
      {...control}
      autoComplete="off"
      inputMode={takes(field.schema, 'integer') ? 'numeric' : 'decimal'}
      onChange={(event) => onChange(read(event.target.value))}
      type="text"
      value={textOf(value)}
    />
  )
}

function LongControl({ control, field, onChange, value }: Props): ReactNode {
  return (
    <textarea
      {...control}
      maxLength={field.schema.maxLength}
      onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
      rows={6}
      value={textOf(value)}
    />
  )
}

function BooleanControl({ control, field, onChange, value }: Props): ReactNode {
  if (!field.nullable)
    return (
      <input
        {...control}
        checked={value === true}
        onChange={(event) => onChange(event.target.checked)}
        type="checkbox"
      />
    )
  return (
    <select
      {...control}
      onChange={(event) => onChange(event.target.value === '' ? null : event.target.value === 'true')}
      value={value === null ? '' : String(value)}
    >
      <option value="">{words().none}</option>
      <option value="true">{words().yes}</option>
      <option value="false">{words().no}</option>
    </select>
  )
}

function WordControl({ control, field, isRequired, onChange, value }: Props): ReactNode {
  const options = (field.schema.enum ?? []).filter((word) => word !== null)
  return (
    <select
      {...control}
      onChange={(event) => onChange(options.find((option) => String(option) === event.target.value) ?? null)}
      value={value === null ? '' : String(value)}
    >
      {value === null || !isRequired ? (
        <option value="">{value === null ? words().choose : words().none}</option>
      ) : null}
      {options.map((option) => (
        <option key={String(option)} value={String(option)}>
          {wordText(String(option), field.values)}
        </option>
      ))}
    </select>
  )
}

/** Several of some words; words that the writer may not pass on stay as they are. */
function ChoicesControl({ control, field: { words: offered = [] }, label, onChange, value }: Props): ReactNode {
  const chosen = Array.isArray(value) ? value.map(String) : []
  const all = [...new Set([...offered, ...chosen])]
  const choose = (word: string, is: boolean): void =>
    onChange(all.filter((one) => (one === word ? is : chosen.includes(one))))
  const { 'aria-required': _, id, 'data-name': name, ...group } = control
  return (
    <div {...group} aria-label={label} className="choices" role="group">
      {all.map((word, at) => (
        <label key={word}>
          <input
            {...(at === 0 ? { id, 'data-name': name } : {})}
            checked={chosen.includes(word)}
            disabled={!offered.includes(word)}
            onChange={(event) => choose(word, event.target.checked)}
            type="checkbox"
          />
          {word}
        </label>
      ))}
    </div>
  )
}

/** A moment in the time of its reader, sent as UTC. */
function MomentControl({ control, onChange, value }: Props): ReactNode {
  return (
    <input
      {...control}
      onChange={(event) => onChange(event.target.value === '' ? null : new Date(event.target.value).toISOString())}
      type="datetime-local"
      value={localText(value)}
    />
  )
}

function localText(value: Json): string {
  const date = typeof value === 'string' ? new Date(value) : undefined
  if (date === undefined || Number.isNaN(date.getTime())) return ''
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

function ListControl({ control, onChange, value }: Props): ReactNode {
  const [text, setText] = useState(() => (Array.isArray(value) ? value.map(String).join('\n') : ''))
  const change = (next: string): void => {
    setText(next)
    onChange(
      next
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    )
  }
  return <textarea {...control} onChange={(event) => change(event.target.value)} rows={3} value={text} />
}

function JsonControl({ control, onBroken, onChange, value }: Props): ReactNode {
  const [text, setText] = useState(() => (value === null ? '' : JSON.stringify(value, null, 2)))
  const change = (next: string): void => {
    setText(next)
    try {
      onChange(next.trim() === '' ? null : (JSON.parse(next) as Json))
      onBroken(undefined)
    } catch {
      onBroken(words().notJson)
    }
  }
  return (
    <textarea
      {...control}
      className="code"
      onChange={(event) => change(event.target.value)}
      rows={6}
      spellCheck={false}
      value={text}
    />
  )
}
