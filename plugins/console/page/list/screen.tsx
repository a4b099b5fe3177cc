/** A list: its search, filters, order and columns are in the address, and its rows come page after page. */
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { useRecord } from '../client/asking.ts'
import { type Catalog, type Named, type Resource, titleOf } from '../client/catalog.ts'
import { type Pages, usePages } from '../client/pages.ts'
import { go, hrefOf, usePlace } from '../client/place.ts'
import { fieldsFor, viewNamed } from '../client/screens.ts'
import { listParts, listPath, type Within } from '../client/within.ts'
import { countText } from '../format.tsx'
import { useKey } from '../shell/keys.tsx'
import { Link } from '../shell/link.tsx'
import { Failed } from '../shell/parts.tsx'
import { useTitle } from '../shell/screen-title.ts'
import { Views } from '../shell/views.tsx'
import { words } from '../words/words.ts'
import { BulkBar } from './bulk.tsx'
import { type Column, chosenColumns, columnsOf } from './columns.ts'
import { Export, exportRoute, importRoute } from './file.tsx'
import { Filters } from './filters.tsx'
import { Grid } from './grid.tsx'
import { Groups, groupKeys } from './groups.tsx'
import { ColumnsMenu, GroupMenu, SortMenu } from './menus.tsx'
import { apiQuery, type Change, changed, choiceOf, chosenSort, followedList, viewed, writtenChoice } from './query.ts'
import { useSavedView } from './saved.tsx'
import { useSelection } from './selection.ts'

interface ListProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly within?: Within
}

const PER_PAGE = 50

/** The rows that the address asks for. */
function useListed({ catalog, named, within }: ListProps, query: URLSearchParams, fields: string) {
  const perPage = Math.min(PER_PAGE, catalog.limits.perPageMax ?? PER_PAGE)
  const path = listPath(named, within)
  const page = query.has('pages') ? Math.max(1, Number(query.get('page') ?? 1) || 1) : undefined
  const list = followedList(named, within, query)
  const pages = usePages({ path, perPage, page, query: `${apiQuery(query)}${fields}`, stream: catalog.stream, list })
  const choice = choiceOf(query)
  const selection = useSelection(pages.rows, `${path}?${choice}`)
  const all = { path: named.resource.path, query: writtenChoice(named, within, query) }
  return { all, choice, page, pages, perPage, selection }
}

export function ListScreen(props: ListProps): ReactNode {
  const { catalog, named, within } = props
  const { query } = usePlace()
  const { resource } = named
  const parts = listParts(named, within)
  // What is typed is one step back, and each filter, order and choice of columns is one of its own.
  const change: Change = (changes) => go(hrefOf(parts, changed(query, changes)), { replace: 'search' in changes })
  const { all, columns, fields, gone, view } = useColumns(props, query)
  const { all: matching, choice, page, pages, perPage, selection } = useListed(props, viewed(query, view), fields)
  const mayCreate = (within?.actions ?? resource.actions).includes('create')
  const createHref = hrefOf(parts, { do: 'create' })
  useKey('c', mayCreate ? () => go(createHref) : undefined)
  const saved = useSavedView(catalog)
  const title = saved === undefined ? (view?.label ?? resource.label.many) : String(saved.name)
  useTitle(title, catalog.name)
  return (
    <>
      {within === undefined ? null : <Parent within={within} />}
      <div className="row head">
        <h1>{title}</h1>
        {importRoute(named) === undefined || within !== undefined ? null : (
          <Link className="button" href={hrefOf(parts, { do: 'import' })}>
            {words().import}
          </Link>
        )}
        {mayCreate ? (
          <Link className="button primary" href={createHref}>
            {words().create(resource.label.one)}
          </Link>
        ) : null}
      </div>
      {within === undefined ? <Views catalog={catalog} named={named} /> : null}
      <Tools {...{ all, catalog, choice, columns, named, pages, query, resource }} onChange={change} />
      {gone.length === 0 ? null : <p className="soft">{words().columnsGone(gone.join(', '))}</p>}
      <GroupsOf {...{ catalog, choice, query, resource }} onChange={change} />
      {pages.failure === undefined ? null : <Failed onAgain={pages.again} text={pages.failure} />}
      <Grid
        {...{ catalog, columns, named, pages, selection }}
        empty={choice === '' ? words().noRecords(resource.label.many) : words().noMatches}
        onSort={change}
        sort={chosenSort(query)}
      />
      <BulkBar {...{ catalog, named, pages, selection }} all={matching} />
      {page === undefined ? null : <Pager {...{ page, pages, perPage }} onChange={change} />}
    </>
  )
}

interface GroupsOfProps {
  readonly catalog: Catalog
  readonly choice: string
  readonly onChange: Change
  readonly query: URLSearchParams
  readonly resource: Resource
}

/** The groups that the address asks for. */
function GroupsOf({ query, ...rest }: GroupsOfProps): ReactNode {
  const by = query.get('group')
  return by !== null && groupKeys(rest.resource).includes(by) ? <Groups {...rest} by={by} /> : null
}

/** The columns of a list, by its address or its view, and what rows are asked for so that they have these values. */
function useColumns({ catalog, named, within }: ListProps, query: URLSearchParams) {
  const { resource } = named
  const view = within === undefined ? viewNamed(named, query.get('view')) : undefined
  const all = useMemo(
    () => columnsOf(catalog, resource, within?.relation, view?.columns),
    [catalog, resource, within?.relation, view],
  )
  const columns = chosenColumns(resource, all, query.get('columns') ?? view?.columns?.join(',') ?? null)
  const keys = columns.map(({ key }) => key)
  const isMore = columns.some(({ isAsked }) => isAsked)
  const asked = (query.get('columns') ?? '').split(',').map((one) => one.replace(/@\d$/, ''))
  const gone = asked.filter((name) => name !== '' && !all.some(({ key }) => key === name))
  return { all, columns, gone, fields: isMore ? `&fields=${encodeURIComponent(fieldsFor(named, keys))}` : '', view }
}

interface ToolsProps {
  readonly choice: string
  readonly named: Named
  readonly all: readonly Column[]
  readonly catalog: Catalog
  readonly columns: readonly Column[]
  readonly onChange: Change
  readonly pages: Pages
  readonly query: URLSearchParams
  readonly resource: Resource
}

function Tools({ all, catalog, choice, columns, named, onChange, pages, query, resource }: ToolsProps): ReactNode {
  const exported = exportRoute(named)
  return (
    <div className="row tools">
      {resource.list?.search === undefined ? null : <Search onChange={onChange} text={query.get('search') ?? ''} />}
      {resource.list === undefined ? null : (
        <Filters catalog={catalog} onChange={onChange} query={query} resource={resource} />
      )}
      <SortMenu chosen={chosenSort(query)} columns={all} onChange={onChange} resource={resource} />
      <ColumnsMenu all={all} onChange={onChange} shown={columns} />
      <Button
        aria-pressed={query.has('pages')}
        className="button"
        onPress={() => onChange({ pages: query.has('pages') ? null : 'yes', page: null })}
      >
        {words().pages}
      </Button>
      <GroupMenu chosen={query.get('group')} onChange={onChange} resource={resource} />
      {exported === undefined ? null : <Export choice={choice} route={exported} />}
      <Count pages={pages} />
    </div>
  )
}

interface PagerProps {
  readonly page: number
  readonly pages: Pages
  readonly perPage: number
  readonly onChange: Change
}

/** One page after the other, for those who print them or search in them. */
function Pager({ onChange, page, pages, perPage }: PagerProps): ReactNode {
  const { pagination, rows } = pages
  const last = Math.max(1, Math.ceil((pagination?.total ?? rows.length) / perPage))
  const isExact = pagination?.total_exact !== false
  const isLast = isExact ? page >= last : rows.length < perPage
  const to = (next: number): void => onChange({ page: next === 1 ? null : String(next) })
  return (
    <nav aria-label={words().pages} className="row end">
      <Button className="button" isDisabled={page === 1} onPress={() => to(page - 1)}>
        {words().pageBefore}
      </Button>
      <span>{words().pageOf(countText(page), countText(last), isExact)}</span>
      <Button className="button" isDisabled={isLast} onPress={() => to(page + 1)}>
        {words().pageAfter}
      </Button>
    </nav>
  )
}

function Parent({ within }: { readonly within: Within }): ReactNode {
  const { id, parent } = within
  const { record } = useRecord(`${parent.resource.path}/${encodeURIComponent(id)}`)
  return (
    <p className="crumbs">
      <Link href={hrefOf([parent.name])}>{parent.resource.label.many}</Link>
      {' / '}
      <Link href={hrefOf([parent.name, id])}>{record === undefined ? id : titleOf(parent.resource, record)}</Link>
    </p>
  )
}

/** How many rows are there, of how many; a total that is a lower bound says so. */
function Count({ pages }: { readonly pages: Pages }): ReactNode {
  const { pagination, rows } = pages
  const isAll = pagination?.next_cursor === null
  const exact = isAll || pagination?.total_exact !== false
  const total = isAll ? rows.length : Math.max(pagination?.total ?? 0, rows.length)
  const text = pagination === undefined ? '' : words().count(countText(rows.length), countText(total), exact)
  return (
    <output aria-live="polite" className="soft count">
      {text}
    </output>
  )
}

const PAUSE_MS = 300

interface SearchProps {
  readonly text: string
  readonly onChange: Change
}

/** Searches once its reader pauses. */
function Search({ onChange, text }: SearchProps): ReactNode {
  const [typed, setTyped] = useState(text)
  const input = useRef<HTMLInputElement>(null)
  const latest = useRef(onChange)
  latest.current = onChange
  useEffect(() => setTyped(text), [text])
  useEffect(() => {
    if (typed === text) return
    const timer = setTimeout(() => latest.current({ search: typed }), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed, text])
  useKey('/', () => input.current?.focus())
  return (
    <input
      aria-label={words().search}
      className="search"
      onChange={(event) => setTyped(event.target.value)}
      placeholder={words().search}
      ref={input}
      type="search"
      value={typed}
    />
  )
}
