/** What is going on: jobs, automations, listeners, and the plan of the present files. */
import { Card, countText, Link, momentText, nameOf, useCatalog, useRecords, useRoute } from 'plinth/console'
import type { ReactNode } from 'react'
import { Answered, Mistakes, PlanSteps, type Section, TableCard, useText } from './parts.tsx'
import type { ApiChange, Failure, Operations } from './told.ts'
import type { Words } from './words.ts'

export function StatePage(): ReactNode {
  const answer = useRoute('schema.operations.json')
  return <Answered<Operations> answer={answer}>{(operations) => <State operations={operations} />}</Answered>
}

function State({ operations }: { readonly operations: Operations }): ReactNode {
  const text = useText()
  const { plan } = operations
  return (
    <>
      <Card title={text.plan}>
        {plan.says === undefined ? null : <p className="bad">{plan.says}</p>}
        <Mistakes diagnostics={(plan.diagnostics ?? []).filter(({ severity }) => severity === 'error')} />
        <PlanSteps plan={plan.plan} />
        <Outside access={plan.access} api={plan.api} />
      </Card>
      {sectionsOf(operations, text).map((section) => (
        <TableCard key={section.title} {...section} />
      ))}
      <Undelivered />
    </>
  )
}

/** The plugin webhooks has its deliveries as records: its readers see them here, and nobody else. */
const DELIVERIES = 'webhook_deliveries'
const SHOWN = 20

function Undelivered(): ReactNode {
  return Object.hasOwn(useCatalog().resources, DELIVERIES) ? <FailedDeliveries /> : null
}

/** What webhooks did not bring to their receivers, after all attempts; each is a way to its record. */
function FailedDeliveries(): ReactNode {
  const text = useText()
  const catalog = useCatalog()
  const { failure, records } = useRecords(DELIVERIES, { where: { status: 'failed' }, sort: '-id', perPage: SHOWN })
  const resource = catalog.resources[DELIVERIES]
  const webhook = resource?.relations.webhook
  if (failure !== undefined) return <p className="bad">{failure}</p>
  return (
    <TableCard
      head={[text.name, text.delivery, text.attempts, text.error]}
      rows={records.map((one) => ({
        key: String(one.id),
        cells: [
          webhook === undefined ? '–' : nameOf(catalog, webhook, Object(one.webhook)),
          <Link key="record" to={[DELIVERIES, String(one.id)]}>{`${one.event} ${one.id}`}</Link>,
          countText(Number(one.attempts_made)),
          String(one.last_error ?? one.last_status ?? '–'),
        ],
      }))}
      title={`${resource?.label.many}: ${text.givenUp}`}
    />
  )
}

interface OutsideProps {
  readonly api: readonly ApiChange[] | null | undefined
  readonly access: { readonly sentences: readonly string[] } | null | undefined
}

/** What changes for clients and for callers; nothing where nothing does. */
export function Outside({ access, api }: OutsideProps): ReactNode {
  const text = useText()
  const changes = [...(api ?? [])].sort((one, other) => Number(other.breaking) - Number(one.breaking))
  return (
    <>
      {changes.length === 0 ? null : (
        <>
          <h3>{text.clients}</h3>
          <ul className="schema-lines">
            {changes.map(({ breaking, what, where }) => (
              <li className={breaking ? 'bad' : undefined} key={`${where} ${what}`}>
                {where}: {what}
                {breaking ? <small>{text.breaking}</small> : null}
              </li>
            ))}
          </ul>
        </>
      )}
      {access == null || access.sentences.length === 0 ? null : (
        <>
          <h3>{text.callers}</h3>
          <ul className="schema-lines">
            {access.sentences.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

function sectionsOf({ automations, jobs, listeners }: Operations, text: Words): readonly Section[] {
  return [
    {
      title: text.jobs,
      head: [text.name, text.status, text.count],
      rows: jobs.kinds.map(({ count, job, status }) => ({
        key: `${job} ${status}`,
        cells: [job, status, countText(count)],
      })),
    },
    failedOf(`${text.jobs}: ${text.givenUp}`, jobs.failed, text),
    {
      title: text.automations,
      head: [text.name, text.lastRun, text.nextRun, text.outcomes],
      rows: automations.states.map(({ lastAt, name, nextAt, outcomes }) => ({
        key: name,
        cells: [
          name,
          lastAt === null ? '–' : momentText(lastAt),
          nextAt === null ? '–' : momentText(nextAt),
          Object.entries(outcomes)
            .map(([outcome, count]) => `${outcome} ${count}`)
            .join(', ') || '–',
        ],
      })),
    },
    failedOf(`${text.automations}: ${text.givenUp}`, automations.failed, text),
    {
      title: text.listeners,
      head: [text.name, text.waiting, text.later, text.givenUp],
      rows: listeners.states.map(({ deferred, failed, name, waiting }) => ({
        key: name,
        cells: [name, countText(waiting), countText(deferred), countText(failed)],
      })),
    },
    failedOf(`${text.listeners}: ${text.givenUp}`, listeners.failed, text),
  ]
}

function failedOf(title: string, failed: readonly Failure[] | null, text: Words): Section {
  return {
    title,
    head: [text.name, text.attempts, text.error],
    rows: (failed ?? []).map(({ attempts, automation, error, id, listener, name }, at) => ({
      key: `${id ?? at}`,
      cells: [name ?? automation ?? listener ?? '–', countText(attempts), error],
    })),
  }
}
