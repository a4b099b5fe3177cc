/** Editors that a field may name instead of the usual one of its type. */
import type { ComponentType, ReactNode } from 'react'
import type { Field, Json } from '../client/catalog.ts'
import { wordText } from '../format.tsx'
import { words } from '../words/words.ts'

export interface WidgetProps {
  readonly control: {
    readonly id: string
    readonly 'data-name': string
    readonly 'aria-invalid': boolean
    readonly 'aria-describedby': string | undefined
    readonly 'aria-required': boolean
  }
  readonly label: string
  readonly field: Field
  readonly value: Json
  readonly onChange: (value: Json) => void
}

/** Stars at most: more are no picture of a number any more. */
const MOST = 10

function Stars({ control, field, label, onChange, value }: WidgetProps): ReactNode {
  const most = Math.min(field.schema.maximum ?? 5, MOST)
  const options = Array.from({ length: most }, (_, at) => at + 1)
  return (
    <fieldset {...group(control, label)} className="stars">
      {options.map((number) => (
        <label key={number}>
          <input
            aria-label={words().unit(number, most)}
            checked={value === number}
            name={control.id}
            onChange={() => onChange(number)}
            onClick={() => value === number && field.nullable && onChange(null)}
            type="radio"
          />
          <span aria-hidden="true">{typeof value === 'number' && number <= value ? '★' : '☆'}</span>
        </label>
      ))}
    </fieldset>
  )
}

function Radio({ control, field, label, onChange, value }: WidgetProps): ReactNode {
  const options = (field.schema.enum ?? []).filter((word) => word !== null)
  return (
    <fieldset {...group(control, label)} className="radios">
      {options.map((option) => (
        <label className="check" key={String(option)}>
          <input checked={value === option} name={control.id} onChange={() => onChange(option)} type="radio" />
          {wordText(String(option), field.values)}
        </label>
      ))}
    </fieldset>
  )
}

function group({ id, ...control }: WidgetProps['control'], label: string) {
  return {
    'aria-describedby': control['aria-describedby'],
    'aria-label': label,
    'data-name': control['data-name'],
    id,
    tabIndex: -1,
  }
}

function Switch({ control, onChange, value }: WidgetProps): ReactNode {
  return (
    <input
      {...control}
      aria-checked={value === true}
      checked={value === true}
      className="switch"
      onChange={(event) => onChange(event.target.checked)}
      role="switch"
      type="checkbox"
    />
  )
}

function Lines({ control, field, onChange, value }: WidgetProps): ReactNode {
  return (
    <textarea
      {...control}
      maxLength={field.schema.maxLength}
      onChange={(event) => onChange(event.target.value === '' ? null : event.target.value)}
      rows={3}
      value={value === null ? '' : String(value)}
    />
  )
}

function Code(props: WidgetProps): ReactNode {
  return (
    <textarea
      {...props.control}
      className="code"
      onChange={(event) => props.onChange(event.target.value === '' ? null : event.target.value)}
      rows={10}
      spellCheck={false}
      value={props.value === null ? '' : String(props.value)}
    />
  )
}

function Progress({ control, field, onChange, value }: WidgetProps): ReactNode {
  const { maximum = 100, minimum = 0 } = field.schema
  return (
    <span className="row">
      <input
        {...control}
        max={maximum}
        min={minimum}
        onChange={(event) => onChange(Number(event.target.value))}
        type="range"
        value={value === null ? minimum : Number(value)}
      />
      <output htmlFor={control.id}>{value === null ? words().empty : String(value)}</output>
    </span>
  )
}

/** The editor by the word of the YAML; undefined for the usual one. */
export const WIDGETS: Readonly<Record<string, ComponentType<WidgetProps>>> = {
  stars: Stars,
  radio: Radio,
  switch: Switch,
  lines: Lines,
  code: Code,
  progress: Progress,
}
