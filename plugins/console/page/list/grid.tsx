/** The rows of a list: only those in view are in the page, and the next ones are read when their reader comes near. */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  type CSSProperties,
  type FocusEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { type Catalog, idOf, type Named, type RecordData } from '../client/catalog.ts'
import type { Pages } from '../client/pages.ts'
import { go, hrefOf } from '../client/place.ts'
import { rememberList } from '../client/trail.ts'
import { type Input, inputsOf } from '../form/draft.ts'
import { hasScreen } from '../format.tsx'
import { Loading } from '../shell/parts.tsx'
import { usePhone } from '../shell/phone.ts'
import { words } from '../words/words.ts'
import { CellEditor } from './cell-editor.tsx'
import { type Column, templateOf } from './columns.ts'
import { Fresh } from './fresh.tsx'
import type { Change } from './query.ts'
import { Row } from './row.tsx'
import type { Selection } from './selection.ts'

interface GridProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly columns: readonly Column[]
  readonly pages: Pages
  readonly empty: string
  readonly selection: Selection
  readonly sort: { readonly key: string; readonly isDown: boolean } | undefined
  readonly onSort: Change
}

const ROW_PX = 40
const PHONE_ROW_PX = 68
/** Rows outside of the view that are kept; with so many left, the next page is read. */
const SPARE = 12

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
  const focusRow = (at: number, cell?: number): void => {
    const next = Math.max(0, Math.min(rows.length - 1, at))
    setFocused(next)
    virtual.scrollToIndex(next)
    const wanted = cell === undefined ? '' : ` [data-cell="${cell}"]`
    requestAnimationFrame(() =>
      body.current?.querySelector<HTMLElement>(`[data-at="${next}"]${wanted}`)?.focus({ preventScroll: true }),
    )
  }
  return { body, focused: Math.min(focused, rows.length - 1), focusRow, shown, virtual }
}

/** The cell that is being changed. */
interface Editing {
  readonly record: RecordData
  readonly input: Input
  readonly at: number
  readonly cell: number
}

/** The inputs by which cells are changed, by the keys of their columns. */
function useCellInputs({ columns, named: { resource } }: GridProps): ReadonlyMap<string, Input> {
  return useMemo(() => {
    if (!resource.actions.includes('update')) return new Map()
    const inputs = inputsOf(resource, 'update', undefined)
    const found = columns.flatMap(({ key }) => {
      const input = inputs.find(({ name, relationName }) => name === key || relationName === key)
      return input === undefined ? [] : [[key, input] as const]
    })
    return new Map(found)
  }, [columns, resource])
}

/** Rows do not move while one of them has the focus, is chosen or is being changed. */
function useHold({ hold }: Pages, isBusy: boolean) {
  const isInside = useRef(false)
  useEffect(() => hold(isInside.current || isBusy), [hold, isBusy])
  const become = (is: boolean): void => {
    isInside.current = is
    hold(is || isBusy)
  }
  return {
    onFocus: () => become(true),
    onBlur: (event: FocusEvent) => event.currentTarget.contains(event.relatedTarget) || become(false),
  }
}

/** Which cell is being changed, and from where. */
function useEditing(props: GridProps) {
  const [editing, setEditing] = useState<Editing | undefined>(undefined)
  const anchor = useRef<HTMLElement | null>(null)
  const inputs = useCellInputs(props)
  const edit = (at: number, cell: number, from: HTMLElement): void => {
    const input = inputs.get(props.columns[cell]?.key ?? '')
    anchor.current = from
    if (input !== undefined) setEditing({ record: props.pages.rows[at] ?? {}, input, at, cell })
  }
  return { anchor, edit, editing, inputs, end: () => setEditing(undefined) }
}

export function Grid(props: GridProps): ReactNode {
  const { catalog, columns, empty, named, pages, selection } = props
  const { isAsking, pagination, rows } = pages
  const { body, focused, focusRow, shown, virtual } = useRows(pages)
  const { anchor, edit, editing, end, inputs } = useEditing(props)
  const held = useHold(pages, editing !== undefined || selection.ids.size > 0)
  const canOpen = hasScreen(catalog, named.name)
  const mayChoose = named.resource.batch !== undefined
  const open = (row: RecordData): void => {
    rememberList(named.name, rows.map(idOf))
    if (canOpen) go(hrefOf([named.name, idOf(row)]))
  }
  if (rows.length === 0 && isAsking) return <Loading waits={pages.waits} />
  if (rows.length === 0) return pages.failure === undefined ? <p className="empty">{empty}</p> : null
  return (
    <>
      <Fresh pages={pages} />
      <div
        {...held}
        aria-colcount={columns.length + (mayChoose ? 1 : 0)}
        aria-label={named.resource.label.many}
        aria-multiselectable={mayChoose ? true : undefined}
        aria-rowcount={pagination?.next_cursor === null ? rows.length + 1 : -1}
        className={mayChoose ? 'grid choosing' : 'grid'}
        role="grid"
        style={{ '--template': templateOf(columns) } as CSSProperties}
      >
        <Head {...props} mayChoose={mayChoose} />
        <div ref={body} role="rowgroup" style={{ blockSize: virtual.getTotalSize(), position: 'relative' }}>
          {shown.map(({ index, start }) => (
            <Row
              {...{ canOpen, catalog, columns, focusRow, inputs, mayChoose, named, selection }}
              at={index}
              isFocused={index === focused}
              isGone={pages.gone.has(idOf(rows[index] ?? {}))}
              key={idOf(rows[index] ?? {}) || index}
              onEdit={edit}
              onOpen={open}
              record={rows[index] ?? {}}
              top={start - virtual.options.scrollMargin}
            />
          ))}
        </div>
      </div>
      <Editor {...{ anchor, catalog, editing, end, focusRow, named, pages }} />
    </>
  )
}

interface EditorProps extends Pick<GridProps, 'catalog' | 'named' | 'pages'> {
  readonly anchor: RefObject<HTMLElement | null>
  readonly editing: Editing | undefined
  readonly end: () => void
  readonly focusRow: (at: number, cell?: number) => void
}

/** The cell that is being changed; it has the focus again afterwards. */
function Editor({ editing, end, focusRow, pages, ...rest }: EditorProps): ReactNode {
  if (editing === undefined) return null
  const close = (): void => {
    end()
    focusRow(editing.at, editing.cell)
  }
  return <CellEditor {...rest} input={editing.input} onClose={close} onSaved={pages.put} record={editing.record} />
}

function Head(props: GridProps & { readonly mayChoose: boolean }): ReactNode {
  const { columns, mayChoose, onSort, pages, selection, sort } = props
  return (
    <div aria-rowindex={1} className="grid-row grid-head" role="row">
      {mayChoose ? <ChooseLoaded count={pages.rows.length} selection={selection} /> : null}
      {columns.map((column) => (
        <HeadCell column={column} key={column.key} onSort={onSort} sort={sort} />
      ))}
    </div>
  )
}

function ChooseLoaded({ count, selection }: { readonly count: number; readonly selection: Selection }): ReactNode {
  const isAll = selection.isAll || selection.ids.size >= count
  return (
    <div className="cell choose" role="columnheader">
      <input
        aria-label={words().chooseLoaded}
        checked={isAll}
        onChange={() => (isAll ? selection.only([]) : selection.loaded())}
        type="checkbox"
      />
    </div>
  )
}

function HeadCell(props: Pick<GridProps, 'onSort' | 'sort'> & { readonly column: Column }): ReactNode {
  const { column, onSort, sort } = props
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
