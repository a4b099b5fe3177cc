/** The pages of the plugin in the console: what the application is made of, who may do what, and its files to edit. */
import { defineConsole, Link, type PageProps, useRoute } from 'plinth/console'
import type { ReactNode } from 'react'
import { DiagramPage } from './page/diagram.tsx'
import { EditPage } from './page/edit.tsx'
import { MatrixPage } from './page/matrix.tsx'
import { Answered, useText } from './page/parts.tsx'
import { ResourcePage } from './page/resource.tsx'
import { StatePage } from './page/state.tsx'
import type { ToldSchema } from './page/told.ts'
import { WhyPage } from './page/why.tsx'
import './page/schema.css'

const TABS = ['diagram', 'access', 'why', 'state', 'edit'] as const

function SchemaPage({ parts: [tab = 'diagram', name = ''], query }: PageProps): ReactNode {
  const text = useText()
  const answer = useRoute('schema.schema.json')
  const canEdit = useRoute('schema.files').isOpen
  return (
    <div className="schema">
      <h1>{text.title}</h1>
      <nav aria-label={text.title} className="row">
        {TABS.filter((one) => one !== 'edit' || canEdit).map((one) => (
          <Link
            isButton
            isHere={one === tab || (one === 'diagram' && tab === 'resource')}
            key={one}
            to={['schema', ...(one === 'diagram' ? [] : [one])]}
          >
            {text.tabs[one]}
          </Link>
        ))}
      </nav>
      {tab === 'access' ? <MatrixPage /> : null}
      {tab === 'why' ? <WhyPage key={query.toString()} query={query} /> : null}
      {tab === 'state' ? <StatePage /> : null}
      {['diagram', 'resource', 'edit'].includes(tab) ? (
        <Answered<ToldSchema> answer={answer}>
          {(schema) =>
            tab === 'resource' ? (
              <ResourcePage canEdit={canEdit} name={name} schema={schema} />
            ) : tab === 'edit' ? (
              <EditPage again={answer.again} query={query} schema={schema} />
            ) : (
              <DiagramPage schema={schema} />
            )
          }
        </Answered>
      ) : null}
    </div>
  )
}

export default defineConsole({
  pages: { schema: { label: 'Schema', path: '/schema', icon: 'settings', who: 'explain', component: SchemaPage } },
})
