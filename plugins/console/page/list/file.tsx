/** A list as a file: what is shown is saved as one, and a file is tried before its rows become records. */
import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from 'react-aria-components'
import { addressOf, ask, download, sentence } from '../client/api.ts'
import { type Catalog, isRecord, type Json, type Named, type OfferedRoute, valueAt } from '../client/catalog.ts'
import { hrefOf } from '../client/place.ts'
import { BY_COOKIE, useSession } from '../client/session.ts'
import { countText } from '../format.tsx'
import { Link } from '../shell/link.tsx'
import { Going } from '../shell/parts.tsx'
import { useTitle } from '../shell/screen-title.ts'
import { useWork } from '../shell/work.ts'
import { words } from '../words/words.ts'

/** The route of a resource that gives its list as a file. */
export function exportRoute({ resource }: Named): OfferedRoute | undefined {
  return resource.routes?.find(({ method, produces }) => method === 'GET' && produces?.includes('text/csv') === true)
}

/** The route of a resource that takes a file of records, and can try it. */
export function importRoute({ resource: { path, routes } }: Named): OfferedRoute | undefined {
  return routes?.find(
    (route) =>
      route.body === 'multipart' && route.path === `${path}/import` && 'dry_run' in (route.query?.properties ?? {}),
  )
}

/** Saves what the list shows. */
export function Export({ choice, route }: { readonly route: OfferedRoute; readonly choice: string }): ReactNode {
  const { token } = useSession()
  const work = useWork()
  const path = `${route.path}${choice === '' ? '' : `?${choice}`}`
  // A browser sends its cookie with a link, and reads a file of any size by itself.
  if (token === BY_COOKIE)
    return (
      <a className="button" download href={addressOf(path)}>
        {words().export}
      </a>
    )
  return (
    <Button className="button" isPending={work.isBusy} onPress={() => work.run((signal) => download(path, signal))}>
      {work.failure === undefined ? words().export : sentence(work.failure)}
    </Button>
  )
}

/** What came of a file, or would come of it. */
type Told = Readonly<Record<string, Json>>

const POLL_MS = 1500

/** Waits for a job that goes on with a large file; gives its outcome. */
async function ended(job: string, prefix: string, signal: AbortSignal, onProgress: (percent: number) => void) {
  for (;;) {
    const { data } = await ask(`${prefix}/jobs/${encodeURIComponent(job)}`, { signal })
    onProgress(Number(valueAt(data, 'progress') ?? 0))
    if (valueAt(data, 'finished_at') !== null) {
      if (valueAt(data, 'status') === 'failed') throw new Error(String(valueAt(data, 'error')))
      return valueAt(data, 'result')
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    signal.throwIfAborted()
  }
}

function useImport(prefix: string, { path }: OfferedRoute) {
  const [outcome, setReport] = useState<Told | undefined>(undefined)
  const [percent, setPercent] = useState<number | undefined>(undefined)
  const work = useWork()
  const send = (file: File, isTrial: boolean): void =>
    work.run(async (signal, onWait) => {
      const form = new FormData()
      form.append('file', file)
      setPercent(undefined)
      const { data } = await ask(`${path}${isTrial ? '?dry_run=true' : ''}`, {
        ...{ method: 'POST', form, key: 'never', signal, onWait },
      })
      const job = valueAt(data, 'total') === null ? valueAt(data, 'id') : null
      const came = job === null ? data : await ended(String(job), prefix, signal, setPercent)
      if (isRecord(came)) setReport(came)
    })
  return { percent, outcome, send, work, forget: () => setReport(undefined) }
}

interface ImportProps {
  readonly catalog: Catalog
  readonly named: Named
  readonly route: OfferedRoute
}

export function ImportScreen({ catalog, named, route }: ImportProps): ReactNode {
  const { label } = named.resource
  const [file, setFile] = useState<File | undefined>(undefined)
  const { forget, percent, outcome, send, work } = useImport(catalog.prefix, route)
  const title = words().importing(label.many)
  useTitle(title, catalog.name)
  const isTried = outcome?.dry_run === true
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (file !== undefined) send(file, !isTried)
  }
  const choose = (files: FileList | null): void => {
    setFile(files?.[0])
    forget()
  }
  return (
    <>
      <p className="crumbs">
        <Link href={hrefOf([named.name])}>{label.many}</Link>
      </p>
      <h1>{title}</h1>
      <form
        className="form card"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault()
          choose(event.dataTransfer.files)
        }}
        onSubmit={submit}
      >
        <label className="field">
          <span>{words().file}</span>
          <input accept=".csv,text/csv" onChange={(event) => choose(event.target.files)} required type="file" />
          <small>{words().dropHere}</small>
        </label>
        <Going does={words().saving} max={100} value={percent} work={work} />
        {outcome === undefined ? null : <Outcome outcome={outcome} />}
        <div className="row">
          <button
            className="button primary"
            disabled={work.isBusy || (outcome !== undefined && !isTried)}
            type="submit"
          >
            {isTried ? words().importNow(countText(Number(outcome.imported ?? 0))) : words().tryFile}
          </button>
        </div>
      </form>
    </>
  )
}

/** The counts of a outcome, and each row that was refused with its reasons. */
function Outcome({ outcome }: { readonly outcome: Told }): ReactNode {
  const count = (name: string): string => countText(Number(outcome[name] ?? 0))
  const errors = Array.isArray(outcome.errors) ? (outcome.errors as readonly Json[]) : []
  const texts = words().importReport
  const said = outcome.dry_run === true ? texts.would : texts.did
  return (
    <section aria-live="polite">
      <p>{said(count('imported'), count('skipped'), count('failed'))}</p>
      <ul className="refused">
        {errors.map((error) => (
          <li key={String(valueAt(error, 'row'))}>
            <strong>{texts.row(String(valueAt(error, 'row')))}</strong>: {reasonsIn(error)}
          </li>
        ))}
      </ul>
    </section>
  )
}

function reasonsIn(error: Json): string {
  const errors = valueAt(error, 'errors')
  if (!isRecord(errors)) return ''
  return Object.entries(errors)
    .map(([name, said]) => `${name}: ${Array.isArray(said) ? said.join('. ') : String(said)}`)
    .join('; ')
}
