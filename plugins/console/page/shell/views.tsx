/** The views of a resource, as links above each of them. */
import type { ReactNode } from 'react'
import type { Named } from '../client/catalog.ts'
import { hrefOf, usePlace } from '../client/place.ts'
import { words } from '../words/words.ts'
import { Link } from './link.tsx'

export function Views({ named }: { readonly named: Named }): ReactNode {
  const { query } = usePlace()
  const views = Object.entries(named.resource.views ?? {})
  if (views.length === 0) return null
  const chosen = query.get('view')
  const all = [{ name: null, label: words().everything }, ...views.map(([name, { label }]) => ({ name, label }))]
  return (
    <nav aria-label={words().views}>
      <ul className="views">
        {all.map(({ label, name }) => (
          <li key={name ?? ''}>
            <Link
              aria-current={chosen === name ? 'page' : undefined}
              href={hrefOf([named.name], name === null ? {} : { view: name })}
            >
              {label}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}
