/** A list: its search, filters, order and columns are in the address, and its rows come page after page. */
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { type Pages, usePages, useRecord } from '../client/asking.ts'
import { type Catalog, type Named, type Resource, titleOf } from '../client/catalog.ts'
import { go, hrefOf, usePlace } from '../client/place.ts'
import { listParts, listPath, type Within } from '../client/within.ts'
import { countText } from '../format.tsx'
import { useKey } from '../shell/keys.tsx'
import { Link } from '../shell/link.tsx'
import { Failed } from '../shell/parts.tsx'
import { useTitle } from '../shell/screen-title.ts'
import { words } from '../words/words.ts'
import { chosenColumns, type Column, columnsOf } from './columns.ts'
import { Filters } from './filters.tsx'
import { Grid } from './grid.tsx'
import { ColumnsMenu, SortMenu } from './menus.tsx'
import { apiQuery, type Change, changed, chosenFilters, chosenSort } from './query.ts'

interface ListProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly within?: Within
}

const PER_PAGE = 50

export function ListScreen({ catalog, named, within }: ListProps): ReactNode {
  const { query } = usePlace()
  const { resource } = named
  const parts = listParts(named, within)
  // What is typed is one step back, and each filter, order and choice of columns is one of its own.
  const change: Change = (changes) => go(hrefOf(parts, changed(query, changes)), { replace: 'search' in changes })
  const pages = usePages(
    listPath(named, within),
    apiQuery(query),
    Math.min(PER_PAGE, catalog.limits.perPageMax ?? PER_PAGE),
  )
  const all = useMemo(() => columnsOf(catalog, resource, within?.relation), [catalog, resource, within?.relation])
  const columns = chosenColumns(resource, all, query.get('columns'))
  const mayCreate = (within?.actions ?? resource.actions).includes('create')
  const createHref = hrefOf(parts, { do: 'create' })
  useKey('c', mayCreate ? () => go(createHref) : undefined)
  useTitle(resource.label.many, catalog.name)
  const isNarrowed =
    query.has('search') || (resource.list !== undefined && chosenFilters(resource.list, query).length > 0)
  return (
    <>
      {within === undefined ? null : <Parent within={within} />}
      <div className="row head">
        <h1>{resource.label.many}</h1>
        {mayCreate ? (
          <Link className="button primary" href={createHref}>
            {words().create(resource.label.one)}
          </Link>
        ) : null}
      </div>
      <Tools {...{ all, catalog, columns, pages, query, resource }} onChange={change} />
      {pages.failure === undefined ? null : <Failed onAgain={pages.again} text={pages.failure} />}
      <Grid
        catalog={catalog}
        columns={columns}
        empty={isNarrowed ? words().noMatches : words().noRecords(resource.label.many)}
        named={named}
        onSort={change}
        pages={pages}
        sort={chosenSort(query)}
      />
    </>
  )
}

interface ToolsProps {
  readonly all: readonly Column[]
  readonly catalog: Catalog
  readonly columns: readonly Column[]
  readonly onChange: Change
  readonly pages: Pages
  readonly query: URLSearchParams
  readonly resource: Resource
}

function Tools({ all, catalog, columns, onChange, pages, query, resource }: ToolsProps): ReactNode {
  return (
    <div className="row tools">
      {resource.list?.search === undefined ? null : <Search onChange={onChange} text={query.get('search') ?? ''} />}
      {resource.list === undefined ? null : (
        <Filters catalog={catalog} onChange={onChange} query={query} resource={resource} />
      )}
      <SortMenu chosen={chosenSort(query)} columns={all} onChange={onChange} resource={resource} />
      <ColumnsMenu all={all} onChange={onChange} shown={columns} />
      <Count pages={pages} />
    </div>
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
