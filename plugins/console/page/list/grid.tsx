/** The rows of a list: only those in view are in the page, and the next ones are read when their reader comes near. */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { Pages } from '../client/asking.ts'
import { type Catalog, idOf, type Named, type RecordData, titleOf } from '../client/catalog.ts'
import { go, hrefOf } from '../client/place.ts'
import { hasScreen, Related, Value } from '../format.tsx'
import { Link } from '../shell/link.tsx'
import { Loading } from '../shell/parts.tsx'
import type { Column } from './columns.ts'
import type { Change } from './query.ts'

interface GridProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly columns: readonly Column[]
  readonly pages: Pages
  readonly empty: string
  readonly sort: { readonly key: string; readonly isDown: boolean } | undefined
  readonly onSort: Change
}

const ROW_PX = 40
const PHONE_ROW_PX = 68
/** Rows outside of the view that are kept; with so many left, the next page is read. */
const SPARE = 12

function usePhone(): boolean {
  const [is, setIs] = useState(() => matchMedia('(max-width: 40rem)').matches)
  useEffect(() => {
    const media = matchMedia('(max-width: 40rem)')
    const look = (): void => setIs(media.matches)
    media.addEventListener('change', look)
    return () => media.removeEventListener('change', look)
  }, [])
  return is
}

/** Which rows are in view, and which one has the place of the focus. */
function useRows({ more, rows }: Pages) {
  const [focused, setFocused] = useState(0)
  const body = useRef<HTMLDivElement>(null)
  const height = usePhone() ? PHONE_ROW_PX : ROW_PX
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    overscan: SPARE,
    scrollMargin: body.current?.offsetTop ?? 0,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are measured again when their height changes
  useEffect(() => virtual.measure(), [virtual, height])
  const shown = virtual.getVirtualItems()
  const last = shown.at(-1)?.index ?? -1
  useEffect(() => {
    if (rows.length > 0 && last >= rows.length - SPARE) more()
  }, [last, rows.length, more])
  const focusRow = (at: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, at))
    setFocused(next)
    virtual.scrollToIndex(next)
    requestAnimationFrame(() =>
      body.current?.querySelector<HTMLElement>(`[data-at="${next}"]`)?.focus({ preventScroll: true }),
    )
  }
  return { body, focused: Math.min(focused, rows.length - 1), focusRow, shown, virtual }
}

export function Grid({ catalog, columns, empty, named, onSort, pages, sort }: GridProps): ReactNode {
  const { isAsking, pagination, rows } = pages
  const { body, focused, focusRow, shown, virtual } = useRows(pages)
  const canOpen = hasScreen(catalog, named.name)
  const open = (row: RecordData): void => (canOpen ? go(hrefOf([named.name, idOf(row)])) : undefined)
  if (rows.length === 0)
    return isAsking ? <Loading /> : pages.failure === undefined ? <p className="empty">{empty}</p> : null
  const style = { '--columns': columns.length } as CSSProperties
  return (
    <div
      aria-colcount={columns.length}
      aria-label={named.resource.label.many}
      aria-rowcount={pagination?.next_cursor === null ? rows.length + 1 : -1}
      className="grid"
      role="grid"
      style={style}
    >
      <div aria-rowindex={1} className="grid-row grid-head" role="row">
        {columns.map((column) => (
          <HeadCell column={column} key={column.key} onSort={onSort} sort={sort} />
        ))}
      </div>
      <div ref={body} role="rowgroup" style={{ blockSize: virtual.getTotalSize(), position: 'relative' }}>
        {shown.map(({ index, start }) => (
          <Row
            {...{ canOpen, catalog, columns, focusRow, named }}
            at={index}
            isFocused={index === focused}
            key={idOf(rows[index] ?? {}) || index}
            onOpen={open}
            record={rows[index] ?? {}}
            top={start - virtual.options.scrollMargin}
          />
        ))}
      </div>
    </div>
  )
}

function HeadCell({
  column,
  onSort,
  sort,
}: Pick<GridProps, 'onSort' | 'sort'> & { readonly column: Column }): ReactNode {
  const { key, label } = column
  const by = column.sort
  const isSorted = by !== undefined && sort?.key === by
  const direction = !isSorted ? 'none' : sort.isDown ? 'descending' : 'ascending'
  const next = direction === 'ascending' ? `-${by}` : direction === 'descending' ? null : (by ?? null)
  return (
    <div aria-sort={by === undefined ? undefined : direction} className="cell" key={key} role="columnheader">
      {by === undefined ? (
        label
      ) : (
        <button className="plain" onClick={() => onSort({ sort: next })} type="button">
          {label}
          <span aria-hidden="true">{direction === 'none' ? '' : direction === 'ascending' ? ' ↑' : ' ↓'}</span>
        </button>
      )}
    </div>
  )
}

interface RowProps {
  readonly at: number
  readonly canOpen: boolean
  readonly catalog: Catalog
  readonly columns: readonly Column[]
  readonly focusRow: (at: number) => void
  readonly isFocused: boolean
  readonly named: Named
  readonly onOpen: (record: RecordData) => void
  readonly record: RecordData
  readonly top: number
}

function Row({ at, canOpen, catalog, columns, focusRow, isFocused, named, onOpen, record, top }: RowProps): ReactNode {
  const pressed = (event: KeyboardEvent): void => {
    const to = {
      ArrowDown: at + 1,
      j: at + 1,
      ArrowUp: at - 1,
      k: at - 1,
      Home: 0,
      PageDown: at + 10,
      PageUp: at - 10,
    }[event.key]
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (to !== undefined) focusRow(to)
    else if (event.key === 'Enter' && event.target === event.currentTarget) onOpen(record)
    else return
    event.preventDefault()
  }
  return (
    <div
      aria-rowindex={at + 2}
      className="grid-row"
      data-at={at}
      onKeyDown={pressed}
      role="row"
      style={{ position: 'absolute', insetBlockStart: 0, insetInline: 0, transform: `translateY(${top}px)` }}
      tabIndex={isFocused ? 0 : -1}
    >
      {columns.map((column, place) => (
        <div className="cell" key={column.key} role="gridcell">
          {place === 0 && canOpen ? (
            <Link href={hrefOf([named.name, idOf(record)])} tabIndex={-1}>
              <Cell catalog={catalog} column={column} record={record} title={titleOf(named.resource, record)} />
            </Link>
          ) : (
            <Cell catalog={catalog} column={column} record={record} />
          )}
        </div>
      ))}
    </div>
  )
}

function Cell({
  catalog,
  column,
  record,
  title,
}: {
  readonly catalog: Catalog
  readonly column: Column
  readonly record: RecordData
  readonly title?: string
}): ReactNode {
  const value = column.read(record)
  if (title !== undefined && (value === null || value === '')) return title
  if (column.relation !== undefined)
    return <Related catalog={catalog} isShort relation={column.relation} value={value} />
  return <Value field={column.field ?? { type: 'string' }} isShort value={value} />
}
