/** Values as people read them: by the type of their field, in the language of the page. */
import type { ReactNode } from 'react'
import {
  type Catalog,
  type Embedded,
  idOf,
  isRecord,
  type Json,
  nameOf,
  type RecordData,
  type Relation,
  type Values,
} from './client/catalog.ts'
import { hrefOf } from './client/place.ts'
import { Added } from './kit/added.tsx'
import type { CellProps } from './kit/define.ts'
import { Link } from './shell/link.tsx'
import { words } from './words/words.ts'

const language = (): string => words().language

/** A moment, or a day, as text. */
function moment(text: string, options: Intl.DateTimeFormatOptions): string {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? text : new Intl.DateTimeFormat(language(), options).format(date)
}

/** A moment for people; a day without its time by `isDay`. */
export function momentText(text: string, isDay = false): string {
  return moment(text, isDay ? { dateStyle: 'medium', timeZone: 'UTC' } : { dateStyle: 'medium', timeStyle: 'short' })
}

/** A moment as short as it is clear: of this year without the year, of others without the time. */
function shortMoment(text: string): string {
  const isThisYear = new Date(text).getFullYear() === new Date().getFullYear()
  return moment(
    text,
    isThisYear ? { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } : { dateStyle: 'medium' },
  )
}

/** A word of an enum for people: what `values` has for it, or `In progress` for `in_progress`. */
export function wordText(word: string, values: Values = {}): string {
  if (Object.hasOwn(values, word)) return values[word]!
  const spaced = word.replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

/** A count for people. */
export function countText(count: number): string {
  return new Intl.NumberFormat(language()).format(count)
}

/** A value as text; what has no shorter form is JSON. */
export function valueText(type: string, value: Json, values?: Values): string {
  if (value === null || value === '') return words().empty
  if (typeof value === 'boolean') return value ? words().yes : words().no
  if (Array.isArray(value))
    return value.length === 0
      ? words().empty
      : value.map((one) => valueText(values === undefined ? '' : 'enum', one, values)).join(', ')
  if (typeof value === 'object') return JSON.stringify(value)
  if (typeof value === 'number') return type === 'integer' || type === 'count' ? countText(value) : String(value)
  if (type === 'timestamp' || type === 'date') return momentText(value as string, type === 'date')
  return type === 'enum' ? wordText(value as string, values) : (value as string)
}

/** Addresses that a browser may open from a field; others, such as scripts, stay text. */
function isSafe(address: string): boolean {
  return /^(https?:|\/(?!\/))/i.test(address)
}

interface ValueProps extends Pick<CellProps, 'field' | 'value'> {
  readonly isShort?: boolean
}

/** A value on a screen; `isShort` in rows of a list. */
export function Value({ field, isShort = false, value }: ValueProps): ReactNode {
  const text = valueText(field.type, value, field.values)
  if (value === null || value === '') return <span className="soft">{text}</span>
  if (field.widget === 'stars') return <Stars most={field.schema?.maximum ?? 5} value={Number(value)} />
  if (field.widget === 'duration') return durationText(Number(value))
  if (field.widget === 'progress')
    return <progress aria-label={text} max={field.schema?.maximum ?? 100} value={Number(value)} />
  return (
    <Added
      given={{ field, isShort, value }}
      kind="cells"
      name={field.widget ?? ''}
      otherwise={<Plain {...{ field, isShort, value }} />}
    />
  )
}

/** A value that no widget draws. */
function Plain({ field, isShort, value }: CellProps): ReactNode {
  const text = valueText(field.type, value, field.values)
  if (field.type === 'timestamp')
    return <time dateTime={String(value)}>{isShort ? shortMoment(String(value)) : text}</time>
  if (field.type === 'color') return <Dot color={text} name={text} />
  if (field.type === 'enum') return <span className="word">{text}</span>
  if (isShort) return text
  if (field.type === 'email') return <a href={`mailto:${text}`}>{text}</a>
  if (field.type === 'url' && isSafe(text))
    return (
      <a href={text} rel="noreferrer" target="_blank">
        {text}
      </a>
    )
  if (field.type === 'json') return <pre>{JSON.stringify(value, null, 2)}</pre>
  return <span className={field.type === 'text' ? 'long' : undefined}>{text}</span>
}

function Stars({ most, value }: { readonly most: number; readonly value: number }): ReactNode {
  return (
    <span aria-label={words().unit(value, most)} role="img">
      {'★'.repeat(value)}
      {'☆'.repeat(Math.max(0, Math.min(most, 10) - value))}
    </span>
  )
}

/** Seconds as the two greatest units that they have. */
export function durationText(seconds: number): string {
  const { units } = words()
  const left = Math.abs(Math.round(seconds))
  const parts = [Math.floor(left / 86_400), Math.floor(left / 3600) % 24, Math.floor(left / 60) % 60, left % 60]
  const shown = parts.flatMap((part, at) => (part === 0 ? [] : [`${part} ${units[at]}`])).slice(0, 2)
  return `${seconds < 0 ? '−' : ''}${shown.length === 0 ? `0 ${units[3]}` : shown.join(' ')}`
}

interface ShownProps {
  readonly catalog: Catalog
  readonly field?: ValueProps['field'] | undefined
  readonly relation?: Relation | undefined
  readonly isShort?: boolean
  readonly value: Json
}

/** A value of a field, or what a relation leads to. */
export function Shown({ catalog, field = { type: '' }, isShort = false, relation, value }: ShownProps): ReactNode {
  return relation === undefined ? (
    <Value {...{ field, isShort, value }} />
  ) : (
    <Related {...{ catalog, isShort, relation, value }} />
  )
}

interface RelatedProps {
  readonly catalog: Catalog
  readonly relation: Relation
  readonly value: Json
  readonly isShort?: boolean
}

/** A related record, or several, by what people call them, and as links to those with a screen. */
export function Related({ catalog, isShort = false, relation, value }: RelatedProps): ReactNode {
  if (isRecord(value)) return <RelatedOne {...{ catalog, isShort, relation }} part={value} />
  const parts = Array.isArray(value) ? (value as readonly Json[]).filter(isRecord) : []
  if (parts.length === 0) return <span className="soft">{words().empty}</span>
  if (isShort) return parts.map((part) => nameOf(catalog, relation, part)).join(', ')
  return (
    <ul className="plain">
      {parts.map((part, at) => (
        <li key={idOf(part) || at}>
          <RelatedOne {...{ catalog, isShort, relation, part }} />
        </li>
      ))}
    </ul>
  )
}

type OneProps = Omit<RelatedProps, 'value'> & { readonly part: RecordData }

function RelatedOne({ catalog, isShort, part, relation }: OneProps): ReactNode {
  const name = nameOf(catalog, relation, part)
  const id = idOf(part)
  const canOpen = !isShort && id !== '' && relation.to !== undefined && hasScreen(catalog, relation.to)
  const color = (relation.embed ?? []).find(({ type }: Embedded) => type === 'color')
  const shown = color === undefined ? name : <Dot color={String(part[color.name] ?? 'transparent')} name={name} />
  return canOpen ? <Link href={hrefOf([relation.to ?? '', id])}>{shown}</Link> : shown
}

/** Whether a record of the resource can be opened. */
export function hasScreen({ resources }: Catalog, name: string): boolean {
  return resources[name]?.actions.includes('get') === true
}

/** A colour next to its text. */
function Dot({ color, name }: { readonly color: string; readonly name: string }): ReactNode {
  return (
    <span className="swatch">
      <svg aria-hidden="true" height="10" viewBox="0 0 10 10" width="10">
        <circle cx="5" cy="5" fill={color} r="5" />
      </svg>
      {name}
    </span>
  )
}
