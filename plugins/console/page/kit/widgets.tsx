/** Widgets for the pages of plugins; their properties are a promise, whatever draws them. */
import { type ReactNode, useId } from 'react'
import { Button as Pressed } from 'react-aria-components'
import { hrefOf } from '../client/place.ts'
import { Box } from '../shell/dialog.tsx'
import { Link as Followed } from '../shell/link.tsx'

interface ButtonProps {
  readonly children: ReactNode
  readonly onPress?: () => void
  readonly kind?: 'primary' | 'plain' | 'danger'
  /** For a button without a text. */
  readonly label?: string
  readonly isDisabled?: boolean
  /** Of a button that stays pressed. */
  readonly isPressed?: boolean
  readonly type?: 'button' | 'submit'
}

export function Button(props: ButtonProps): ReactNode {
  const { children, isDisabled = false, isPressed, kind, label, onPress, type = 'button' } = props
  return (
    <Pressed
      {...(label === undefined ? {} : { 'aria-label': label })}
      {...(isPressed === undefined ? {} : { 'aria-pressed': isPressed })}
      {...(onPress === undefined ? {} : { onPress })}
      className={kind === undefined ? 'button' : `button ${kind}`}
      isDisabled={isDisabled}
      type={type}
    >
      {children}
    </Pressed>
  )
}

interface LinkProps {
  readonly children: ReactNode
  /** The parts of the address below /console: a resource or page, a record, a list below it. */
  readonly to: readonly string[]
  readonly query?: Readonly<Record<string, string>>
  readonly isButton?: boolean
  /** Whether it leads to where the reader is. */
  readonly isHere?: boolean
}

/** A link to a screen of the console. */
export function Link({ children, isButton = false, isHere = false, query, to }: LinkProps): ReactNode {
  return (
    <Followed
      {...(isButton ? { className: 'button' } : {})}
      {...(isHere ? { 'aria-current': 'page' as const } : {})}
      href={hrefOf(to, query)}
    >
      {children}
    </Followed>
  )
}

interface CardProps {
  readonly children: ReactNode
  readonly title?: string
}

/** A part of a screen with a border, and a heading if it has a title. */
export function Card({ children, title }: CardProps): ReactNode {
  return (
    <section aria-label={title} className="card">
      {title === undefined ? null : <h2>{title}</h2>}
      {children}
    </section>
  )
}

/** Things next to each other, which wrap where there is no room. */
export function Row({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className="row">{children}</div>
}

interface TableProps {
  readonly caption: string
  readonly head: readonly string[]
  /** Cells by row; the first cell of a row is its heading. */
  readonly rows: readonly { readonly key: string; readonly cells: readonly ReactNode[] }[]
}

export function Table({ caption, head, rows }: TableProps): ReactNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled can be scrolled by keys
    <div aria-label={caption} className="scroll" role="region" tabIndex={0}>
      <table aria-label={caption}>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ cells: [first, ...others], key }) => (
            <tr key={key}>
              <th scope="row">{first}</th>
              {others.map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no other name than their column
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

interface SelectProps {
  readonly label: string
  readonly value: string
  readonly options: readonly { readonly value: string; readonly label: string }[]
  readonly onChange: (value: string) => void
}

export function Select({ label, onChange, options, value }: SelectProps): ReactNode {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select id={id} onChange={(event) => onChange(event.target.value)} value={value}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </div>
  )
}

interface TextFieldProps {
  readonly label: string
  readonly value: string
  readonly onChange: (value: string) => void
  readonly type?: 'text' | 'date' | 'number' | 'search' | 'email'
  /** More than one line. */
  readonly lines?: number
  readonly error?: string
}

export function TextField({ error, label, lines, onChange, type = 'text', value }: TextFieldProps): ReactNode {
  const id = useId()
  const about = error === undefined ? { id } : { id, 'aria-invalid': true, 'aria-describedby': `${id}-error` }
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {lines === undefined ? (
        <input {...about} onChange={(event) => onChange(event.target.value)} type={type} value={value} />
      ) : (
        <textarea {...about} onChange={(event) => onChange(event.target.value)} rows={lines} value={value} />
      )}
      {error === undefined ? null : (
        <small className="bad" id={`${id}-error`}>
          {error}
        </small>
      )}
    </div>
  )
}

interface DialogProps {
  readonly title: string
  readonly children: ReactNode
  readonly onClose: () => void
}

/** A box over the screen that holds the focus; Escape closes it. */
export const Dialog: (props: DialogProps) => ReactNode = Box
