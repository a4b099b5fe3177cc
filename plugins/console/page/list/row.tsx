/** One row of a list: its cells, and what its keys do. */
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react'
import { type Catalog, idOf, type Named, type RecordData, titleOf } from '../client/catalog.ts'
import { hrefOf } from '../client/place.ts'
import type { Input } from '../form/draft.ts'
import { Shown } from '../format.tsx'
import { areKeysOn } from '../shell/keys.tsx'
import { Link } from '../shell/link.tsx'
import { words } from '../words/words.ts'
import type { Column } from './columns.ts'
import type { Selection } from './selection.ts'

interface RowProps {
  readonly at: number
  readonly canOpen: boolean
  readonly catalog: Catalog
  readonly columns: readonly Column[]
  readonly focusRow: (at: number, cell?: number) => void
  readonly inputs: ReadonlyMap<string, Input>
  readonly isFocused: boolean
  /** Whether the record is there no more. */
  readonly isGone: boolean
  readonly mayChoose: boolean
  readonly named: Named
  readonly onEdit: (at: number, cell: number, from: HTMLElement) => void
  readonly onOpen: (record: RecordData) => void
  readonly record: RecordData
  readonly selection: Selection
  readonly top: number
}

/** Where keys lead from a row: to another one, or along its cells. */
function rowAfter(key: string, at: number): number | undefined {
  const single: Readonly<Record<string, number>> = areKeysOn() ? { j: at + 1, k: at - 1 } : {}
  return { ...single, ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, PageDown: at + 10, PageUp: at - 10 }[key]
}

function cellOf(target: EventTarget): number | undefined {
  const cell = target instanceof HTMLElement ? target.closest<HTMLElement>('[data-cell]') : null
  return cell === null ? undefined : Number(cell.dataset.cell)
}

function usePressed(props: RowProps): (event: KeyboardEvent<HTMLElement>) => void {
  const { at, columns, focusRow, inputs, mayChoose, onEdit, onOpen, record, selection } = props
  return (event) => {
    const { altKey, ctrlKey, currentTarget, key, metaKey, shiftKey, target } = event
    if (ctrlKey || metaKey || altKey || target instanceof HTMLInputElement) return
    const cell = target === currentTarget ? undefined : cellOf(target)
    const to = rowAfter(key, at)
    const isEditable = (place: number): boolean => inputs.has(columns[place]?.key ?? '')
    const first = columns.findIndex((_, place) => isEditable(place))
    const place = cell ?? first
    if (to !== undefined) {
      if (shiftKey && mayChoose && key.startsWith('Arrow')) {
        if (selection.ids.size === 0) selection.toggle(at)
        selection.extend(to)
      }
      focusRow(to, cell)
    } else if (key === ' ' && mayChoose) selection.toggle(at)
    else if (key === 'ArrowRight') focusRow(at, Math.min(columns.length - 1, (cell ?? -1) + 1))
    else if (key === 'ArrowLeft') focusRow(at, cell === undefined || cell === 0 ? undefined : cell - 1)
    else if ((key === 'F2' || (key === 'Enter' && cell !== undefined && isEditable(cell))) && place >= 0)
      onEdit(at, place, currentTarget.querySelector<HTMLElement>(`[data-cell="${place}"]`) ?? currentTarget)
    else if (key === 'Enter') onOpen(record)
    else return
    event.preventDefault()
  }
}

export function Row(props: RowProps): ReactNode {
  const { at, columns, isFocused, isGone, mayChoose, onEdit, record, selection, top } = props
  const pressed = usePressed(props)
  return (
    <div
      aria-rowindex={at + 2}
      aria-selected={mayChoose ? selection.has(idOf(record)) : undefined}
      className={isGone ? 'grid-row gone' : 'grid-row'}
      data-at={at}
      onKeyDown={pressed}
      role="row"
      style={{ position: 'absolute', insetBlockStart: 0, insetInline: 0, transform: `translateY(${top}px)` }}
      tabIndex={isFocused ? 0 : -1}
      title={isGone ? words().goneRow : undefined}
    >
      {mayChoose ? <Choose {...props} /> : null}
      {columns.map((column, place) => (
        <div
          className="cell"
          data-cell={place}
          key={column.key}
          onDoubleClick={(event) => onEdit(at, place, event.currentTarget)}
          role="gridcell"
          tabIndex={-1}
        >
          {place === 0 ? <First {...props} column={column} /> : <Cell {...props} column={column} />}
        </div>
      ))}
    </div>
  )
}

function Choose({ at, named, record, selection }: RowProps): ReactNode {
  const choose = (event: MouseEvent<HTMLInputElement>): void =>
    event.shiftKey ? selection.extend(at) : selection.toggle(at)
  return (
    <div className="cell choose" role="gridcell">
      <input
        aria-label={words().choose1(titleOf(named.resource, record))}
        checked={selection.has(idOf(record))}
        onChange={() => undefined}
        onClick={choose}
        tabIndex={-1}
        type="checkbox"
      />
    </div>
  )
}

/** The first cell, which opens the record. */
function First({ canOpen, catalog, column, named, onOpen, record }: RowProps & { readonly column: Column }): ReactNode {
  if (!canOpen) return <Cell catalog={catalog} column={column} record={record} />
  const open = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return
    event.preventDefault()
    onOpen(record)
  }
  return (
    <Link href={hrefOf([named.name, idOf(record)])} onClick={open} tabIndex={-1}>
      <Cell catalog={catalog} column={column} record={record} title={titleOf(named.resource, record)} />
    </Link>
  )
}

interface CellProps extends Pick<RowProps, 'catalog' | 'record'> {
  readonly column: Column
  readonly title?: string
}

function Cell({ catalog, column, record, title }: CellProps): ReactNode {
  const value = column.read(record)
  if (title !== undefined && (value === null || value === '')) return title
  return <Shown catalog={catalog} field={column.field} isShort relation={column.relation} value={value} />
}
