/** A board: a column for each value, and cards that are moved by dragging, by the keyboard, or by their menu. */
import { type ReactNode, useState } from 'react'
import {
  Button,
  GridList,
  GridListItem,
  isTextDropItem,
  Menu,
  MenuItem,
  MenuTrigger,
  Popover,
  useDragAndDrop,
} from 'react-aria-components'
import { ask, Refusal, recordIn, rowsIn, sentence } from '../client/api.ts'
import { useAnswer } from '../client/asking.ts'
import { type Catalog, idOf, type Json, type Named, type RecordData, titleOf } from '../client/catalog.ts'
import { notify } from '../client/notices.ts'
import { usePages } from '../client/pages.ts'
import { go, hrefOf, usePlace } from '../client/place.ts'
import { fieldsFor, type View } from '../client/screens.ts'
import { notifyChange } from '../client/undo.ts'
import { countText, hasScreen, Shown } from '../format.tsx'
import { type Column, columnsOf } from '../list/columns.ts'
import { Fresh } from '../list/fresh.tsx'
import { followedList, viewed, viewQuery } from '../list/query.ts'
import { keepFocus } from '../shell/dialog.tsx'
import { Link } from '../shell/link.tsx'
import { Failed, Loading } from '../shell/parts.tsx'
import { useTitle } from '../shell/screen-title.ts'
import { ViewHead } from '../shell/view-head.tsx'
import { words } from '../words/words.ts'
import { type BoardColumn, mayGo, type Taken, take, useColumns } from './columns.ts'

interface BoardProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly view: View
}

/** Cards that are read at a time. */
const PER_PAGE = 100

export default function BoardScreen({ catalog, named, view }: BoardProps): ReactNode {
  const { query } = usePlace()
  const { resource } = named
  const by = view.by ?? ''
  useTitle(view.label, catalog.name)
  const board = useColumns(catalog, resource, by)
  const shown = view.card ?? []
  const asked = `${viewQuery(query, view)}&fields=${encodeURIComponent(fieldsFor(named, [...shown, by, ...keysOf(named, by)]))}`
  const perPage = Math.min(PER_PAGE, catalog.limits.perPageMax ?? PER_PAGE)
  const list = followedList(named, undefined, viewed(query, view))
  const pages = usePages({ path: resource.path, query: asked, perPage, stream: catalog.stream, list })
  const counts = useCounts(named, view, board.field, query)
  const moves = useMoves({ board, by, named, pages, counts })
  const failure = pages.failure ?? board.failure
  const again = (): void => {
    pages.again()
    board.again()
  }
  const parts = partsOf(catalog, named, shown)
  return (
    <>
      <ViewHead catalog={catalog} named={named} title={view.label} />
      {failure === undefined ? null : <Failed onAgain={again} text={failure} />}
      <Fresh pages={pages} />
      {board.columns === undefined ? (
        failure === undefined && <Loading />
      ) : (
        <div className="board">
          {board.columns.map((column) => (
            <BoardList
              {...{ catalog, column, moves, named, parts }}
              cards={moves.cards.filter((card) => board.of(card) === column.key)}
              columns={board.columns ?? []}
              count={counts.of(column.key)}
              key={column.key}
            />
          ))}
        </div>
      )}
      {typeof pages.pagination?.next_cursor === 'string' ? (
        <div className="row">
          <Button className="button" isDisabled={pages.isAsking} onPress={pages.more}>
            {words().more}
          </Button>
        </div>
      ) : null}
    </>
  )
}

/** What a card shows: the paths as columns of a list. */
function partsOf(catalog: Catalog, { resource }: Named, paths: readonly string[]): readonly Column[] {
  const all = columnsOf(catalog, resource, undefined, paths)
  return paths.flatMap((path) => all.find(({ key }) => key === path) ?? [])
}

/** The key of the relation, by which a card is found where the other record is hidden. */
function keysOf({ resource }: Named, by: string): readonly string[] {
  const key = resource.relations[by]?.field
  return key !== undefined && resource.fields[key]?.show !== undefined ? [key] : []
}

interface Counts {
  of(key: string): number | undefined
  again(): void
}

/** How many cards each column has, where the resource has a summary. */
function useCounts({ resource }: Named, view: View, field: string, query: URLSearchParams): Counts {
  const { sort: _, ...unsorted } = view
  const plain = viewQuery(query, unsorted)
  const path = resource.figures === undefined ? undefined : `${resource.figures}?by=${field}&${plain}`
  const { again, answer } = useAnswer(path)
  const rows = answer === undefined ? undefined : rowsIn(answer)
  return {
    of: (key) => rows && Number(rows.find((row) => String(row[field] ?? '') === key)?.count ?? 0),
    again,
  }
}

interface MovesProps {
  readonly board: ReturnType<typeof useColumns>
  readonly by: string
  readonly named: Named
  readonly pages: ReturnType<typeof usePages>
  readonly counts: Counts
}

function wayBack(board: MovesProps['board'], from: BoardColumn | undefined, to: BoardColumn) {
  return { before: { [board.field]: from?.value ?? null }, isStill: (now: RecordData) => board.of(now) === to.key }
}

/** Cards that are shown elsewhere before the server has said so, by their ids. */
function useMoved() {
  const [moved, setMoved] = useState<ReadonlyMap<string, RecordData>>(new Map())
  const put = (id: string, card: RecordData | undefined): void =>
    setMoved((before) => {
      const next = new Map(before)
      if (card === undefined) next.delete(id)
      else next.set(id, card)
      return next
    })
  return { moved, put }
}

/** The moves of cards, and what is known of the one that is dragged. */
function useMoves({ board, by, counts, named, pages }: MovesProps) {
  const { resource } = named
  const { moved, put } = useMoved()
  const [dragged, setDragged] = useState<{ readonly id: string; readonly taken?: Taken } | undefined>(undefined)
  const cards = pages.rows.filter((row) => !pages.gone.has(idOf(row))).map((row) => moved.get(idOf(row)) ?? row)
  const columnOf = (card: RecordData): BoardColumn | undefined =>
    board.columns?.find(({ key }) => key === board.of(card))
  const begin = (id: string): void => {
    setDragged({ id })
    take(resource, id).then(
      (taken) => setDragged((now) => (now?.id === id ? { id, taken } : now)),
      () => undefined,
    )
  }
  const move = async (id: string, to: BoardColumn, known?: Taken): Promise<void> => {
    const card = cards.find((one) => idOf(one) === id)
    if (card === undefined || board.of(card) === to.key) return
    const next = { ...card, [by]: asPart(card[by], to), [board.field]: to.value }
    put(id, next)
    keepFocus(() => document.querySelector<HTMLElement>(`.board-card[data-key="${CSS.escape(id)}"]`))
    try {
      const { answer, path } = known ?? (await take(resource, id))
      // What its reader sees is not written over what they have not seen.
      if (![board.of(card), ''].includes(board.of(recordIn(answer)))) throw new Refusal(412, words().changedSince)
      const moved = await ask(path, { method: 'PATCH', body: { [board.field]: to.value }, ifMatch: answer.etag })
      pages.put(next)
      put(id, undefined)
      const way = wayBack(board, columnOf(card), to)
      notifyChange(words().cardMoved(titleOf(resource, card), to.label), { ...way, path, etag: moved.etag }, () => {
        pages.again()
        counts.again()
      })
      counts.again()
    } catch (error) {
      put(id, undefined)
      notify(sentence(error))
      pages.again()
    }
  }
  const refuses = (to: BoardColumn): boolean => {
    const card = dragged && cards.find((one) => idOf(one) === dragged.id)
    const { taken } = dragged ?? {}
    if (card === undefined || taken === undefined) return false
    return !mayGo(taken, resource, by, board.field, columnOf(card), to)
  }
  return { begin, cards, dragged, end: () => setDragged(undefined), move, refuses }
}

type Moves = ReturnType<typeof useMoves>

/** The value of a card in another column: a word, or the record of a relation. */
function asPart(before: Json | undefined, to: BoardColumn): Json {
  return typeof before === 'object' && before !== null ? { id: to.value, name: to.label } : to.value
}

interface ListProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly column: BoardColumn
  readonly columns: readonly BoardColumn[]
  readonly cards: readonly RecordData[]
  readonly count: number | undefined
  readonly parts: readonly Column[]
  readonly moves: Moves
}

const CARD = 'plinth-card'

function BoardList({ cards, catalog, column, columns, count, moves, named, parts }: ListProps): ReactNode {
  const { resource } = named
  const isRefused = moves.refuses(column)
  const { dragAndDropHooks } = useDragAndDrop({
    getItems: (keys) => [...keys].map((key) => ({ [CARD]: String(key), 'text/plain': String(key) })),
    acceptedDragTypes: [CARD],
    getDropOperation: () => (isRefused ? 'cancel' : 'move'),
    onDragStart: ({ keys }) => moves.begin(String([...keys][0])),
    onDragEnd: moves.end,
    onRootDrop: async ({ items }) => {
      const [item] = items.filter(isTextDropItem)
      if (item === undefined) return
      const id = await item.getText(CARD)
      const taken = moves.dragged?.id === id ? moves.dragged.taken : undefined
      await moves.move(id, column, taken)
    },
  })
  return (
    <section className={isRefused ? 'board-column refused' : 'board-column'}>
      <h2>
        {column.label} {count === undefined ? null : <span className="soft">{countText(count)}</span>}
      </h2>
      <GridList
        aria-label={column.label}
        className="board-cards"
        dragAndDropHooks={dragAndDropHooks}
        items={cards}
        onAction={(key) => hasScreen(catalog, named.name) && go(hrefOf([named.name, String(key)]))}
        renderEmptyState={() => <p className="soft">{words().noCards}</p>}
      >
        {cards.map((card) => (
          <GridListItem
            className="card board-card"
            id={idOf(card)}
            key={idOf(card)}
            textValue={titleOf(resource, card)}
          >
            <CardHead {...{ card, catalog, column, columns, moves, named }} />
            <dl className="board-parts">{parts.map((part) => partShown(catalog, part, part.read(card)))}</dl>
          </GridListItem>
        ))}
      </GridList>
    </section>
  )
}

function partShown(catalog: Catalog, { field, key, label, relation }: Column, value: Json): ReactNode {
  return value === null || value === '' ? null : (
    <div key={key}>
      <dt>{label}</dt>
      <dd>
        <Shown {...{ catalog, field, relation, value }} isShort />
      </dd>
    </div>
  )
}

interface HeadProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly card: RecordData
  readonly column: BoardColumn
  readonly columns: readonly BoardColumn[]
  readonly moves: Moves
}

/** The handle for the keyboard, the way to the record, and the menu of the other columns. */
function CardHead({ card, catalog, column, columns, moves, named }: HeadProps): ReactNode {
  const id = idOf(card)
  const title = titleOf(named.resource, card)
  return (
    <div className="row board-head">
      <Button aria-label={words().drag(title)} className="button plain" slot="drag">
        ⠿
      </Button>
      {hasScreen(catalog, named.name) ? <Link href={hrefOf([named.name, id])}>{title}</Link> : <span>{title}</span>}
      <MenuTrigger onOpenChange={(isOpen) => (isOpen ? moves.begin(id) : moves.end())}>
        <Button aria-label={words().moveCard(title)} className="button plain">
          ⋯
        </Button>
        <Popover className="popover">
          <Menu
            aria-label={words().moveCard(title)}
            disabledKeys={columns.filter((to) => to.key !== column.key && moves.refuses(to)).map(({ key }) => key)}
            onAction={(key) => {
              const to = columns.find((one) => one.key === key)
              if (to !== undefined) void moves.move(id, to, moves.dragged?.taken)
            }}
          >
            {columns
              .filter((to) => to.key !== column.key)
              .map((to) => (
                <MenuItem id={to.key} key={to.key}>
                  {words().moveToColumn(to.label)}
                </MenuItem>
              ))}
          </Menu>
        </Popover>
      </MenuTrigger>
    </div>
  )
}
