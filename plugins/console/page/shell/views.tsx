/** The views of a resource, as links above each of them. */
import type { ReactNode } from 'react'
import type { Catalog, Named } from '../client/catalog.ts'
import { hrefOf, usePlace } from '../client/place.ts'
import { SavedMenu } from '../list/saved.tsx'
import { words } from '../words/words.ts'
import { Link } from './link.tsx'

export function Views({ catalog, named }: { readonly catalog: Catalog; readonly named: Named }): ReactNode {
  const { query } = usePlace()
  const views = Object.entries(named.resource.views ?? {})
  const chosen = query.get('view')
  const all = [{ name: null, label: words().everything }, ...views.map(([name, { label }]) => ({ name, label }))]
  const isSaved = query.has('saved')
  const tabs = (
    <nav aria-label={words().views} className="grow">
      <ul className="views">
        {all.map(({ label, name }) => (
          <li key={name ?? ''}>
            <Link
              aria-current={chosen === name && !isSaved ? 'page' : undefined}
              href={hrefOf([named.name], name === null ? {} : { view: name })}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
  return (
    <div className="row">
      {views.length === 0 ? null : tabs}
      <SavedMenu catalog={catalog} named={named} />
    </div>
  )
}
