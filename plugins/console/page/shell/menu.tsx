/** The menu: as app.yaml orders it, or all lists by the alphabet, with live counts of the views that say so. */
import { type ReactNode, useEffect, useState } from 'react'
import { ask } from '../client/api.ts'
import { type AddedPage, addedPages, type Catalog, idOf, menuOf, type RecordData } from '../client/catalog.ts'
import { hrefOf, usePlace } from '../client/place.ts'
import { savedQuery, savedResource, useSaved } from '../client/saved.ts'
import { type Place, placeNamed, type View } from '../client/screens.ts'
import { useSession } from '../client/session.ts'
import { countText } from '../format.tsx'
import { viewQuery } from '../list/query.ts'
import { words } from '../words/words.ts'
import { Icon } from './icon.tsx'
import { Link } from './link.tsx'

interface MenuProps {
  readonly catalog: Catalog
  readonly onFollow?: (() => void) | undefined
}

export function Menu({ catalog, onFollow }: MenuProps): ReactNode {
  const { parts } = usePlace()
  const groups = catalog.console?.menu ?? []
  const all = groups.flatMap(({ screens }) => screens)
  const pages = addedPages(catalog)
  const pageEntry = ({ icon, label, path }: AddedPage): ReactNode => (
    <li key={path}>
      <Link aria-current={parts[0] === path ? 'page' : undefined} href={hrefOf([path])} onClick={onFollow}>
        <Icon name={icon} />
        <span>{label}</span>
      </Link>
    </li>
  )
  return (
    <>
      <ul className="menu">
        {catalog.console?.home === undefined ? (
          <li>
            <Link aria-current={parts.length === 0 ? 'page' : undefined} href={hrefOf([])} onClick={onFollow}>
              {words().home}
            </Link>
          </li>
        ) : null}
        {groups.length > 0
          ? null
          : menuOf(catalog).map((named) => <Entry key={named.name} others={[]} place={{ named }} {...{ onFollow }} />)}
      </ul>
      {groups.map(({ label, screens }) => (
        <div key={label}>
          <h2 className="group">{label}</h2>
          <ul aria-label={label} className="menu">
            {screens.map((screen) => {
              const page = pages.find(({ path }) => path === screen)
              if (page !== undefined) return pageEntry(page)
              const place = placeNamed(catalog, screen)
              return place === undefined ? null : <Entry key={screen} others={all} place={place} {...{ onFollow }} />
            })}
          </ul>
        </div>
      ))}
      <ul className="menu">{pages.filter(({ path }) => !all.includes(path)).map(pageEntry)}</ul>
      <Saved catalog={catalog} {...{ onFollow }} />
    </>
  )
}

/** Views that people saved: the reader's own, and those that are shared with it. */
function Saved({ catalog, onFollow }: MenuProps): ReactNode {
  const { query } = usePlace()
  const views = useSaved(catalog)
  if (views.length === 0) return null
  const { label } = savedResource(catalog)?.resource ?? {}
  return (
    <div>
      <h2 className="group">{label?.many}</h2>
      <ul aria-label={label?.many} className="menu">
        {views.map((view) => (
          <li key={idOf(view)}>
            <Link
              aria-current={query.get('saved') === idOf(view) ? 'page' : undefined}
              href={hrefOf([String(view.resource)], savedQuery(view))}
              onClick={onFollow}
            >
              <Icon name={catalog.resources[String(view.resource)]?.icon} />
              <span>{String(view.name)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

interface EntryProps {
  readonly place: Place
  /** The screens of the whole menu: a list is not marked while a view of it is that has a place of its own. */
  readonly others: readonly string[]
  readonly onFollow: (() => void) | undefined
}

function Entry({ onFollow, others, place: { named, view } }: EntryProps): ReactNode {
  const { parts, query } = usePlace()
  const open = query.get('view')
  const isOther = open !== null && others.includes(`${named.name}/${open}`)
  const isHere = !query.has('saved') && parts[0] === named.name && (view === undefined ? !isOther : open === view.name)
  return (
    <li>
      <Link
        aria-current={isHere ? 'page' : undefined}
        href={hrefOf([named.name], view === undefined ? {} : { view: view.name })}
        onClick={onFollow}
      >
        <Icon name={view?.view.icon ?? named.resource.icon} />
        <span>{view?.view.label ?? named.resource.label.many}</span>
        {view?.view.count === true && named.resource.figures !== undefined ? (
          <Count path={named.resource.figures} view={view.view} />
        ) : null}
      </Link>
    </li>
  )
}

/** How often the count of a view is asked again. */
const EVERY_MS = 60_000

/** How many records a view has: asked again after a while, and when another screen is opened. */
function Count({ path, view }: { readonly path: string; readonly view: View }): ReactNode {
  const { ended, turn } = useSession()
  const { address } = usePlace()
  const [count, setCount] = useState<number | undefined>(undefined)
  const [tick, setTick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => document.hidden || setTick((before) => before + 1), EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: they say when the count may be another one
  useEffect(() => {
    if (ended) return
    const stop = new AbortController()
    const { sort: _, ...unsorted } = view
    ask(`${path}?${viewQuery(new URLSearchParams(), unsorted)}`, { signal: stop.signal }).then(
      ({ data }) => setCount(Number((data as readonly RecordData[])[0]?.count ?? 0)),
      () => undefined,
    )
    return () => stop.abort()
  }, [path, view, ended, turn, address, tick])
  return count === undefined ? null : <span className="count">{countText(count)}</span>
}
