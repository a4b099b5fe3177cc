/** Files of a record: chosen, dropped or pasted, shown before they are sent, and sent to where the application keeps them. */
import { type ClipboardEvent, type DragEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { ask, newKey } from '../client/api.ts'
import type { Catalog, Named } from '../client/catalog.ts'
import { words } from '../words/words.ts'

/** Where files of a resource go: a route that takes one with the key of the record that it belongs to. */
export interface FilePlace {
  readonly path: string
  readonly key: string
}

/** The place for files of a resource; undefined where its reader may send none. */
export function filePlace({ resources }: Catalog, { name, resource }: Named): FilePlace | undefined {
  for (const { kind, to = '' } of Object.values(resource.relations)) {
    const target = kind === 'has_many' ? resources[to] : undefined
    const route = target?.routes?.find((one) => one.body === 'multipart' && one.path === target.path)
    const { properties = {} } = route?.input ?? {}
    const by = Object.values(target?.relations ?? {}).find(
      ({ field = '', to: of }) => of === name && Object.hasOwn(properties, field),
    )
    if (route !== undefined && by?.field !== undefined) return { path: route.path, key: by.field }
  }
  return undefined
}

/** A file that waits to be sent; its key lets it arrive once, however often it is sent. */
interface Waiting {
  readonly file: File
  readonly key: string
}

/** Files that wait, and how they come: by `on`, the handlers of the part of the screen on which they are dropped. */
export function useFiles(place: FilePlace | undefined) {
  const [waiting, setWaiting] = useState<readonly Waiting[]>([])
  const add = (files: Iterable<File>): void =>
    setWaiting((before) => [...before, ...[...files].map((file) => ({ file, key: newKey() }))])
  const taken = (event: DragEvent | ClipboardEvent, { files }: DataTransfer): void => {
    if (place === undefined || files.length === 0) return
    event.preventDefault()
    add(files)
  }
  const on = {
    onDragOver: (event: DragEvent) => place !== undefined && event.preventDefault(),
    onDrop: (event: DragEvent) => taken(event, event.dataTransfer),
    onPaste: (event: ClipboardEvent) => taken(event, event.clipboardData),
  }
  const remove = (one: Waiting): void => setWaiting((before) => before.filter((other) => other !== one))
  /** Sends each; what has arrived waits no longer, and the first refusal is thrown. */
  const send = async (id: string, signal?: AbortSignal): Promise<void> => {
    for (const one of place === undefined ? [] : waiting) {
      const form = new FormData()
      form.set(place!.key, id)
      form.set('file', one.file, one.file.name)
      await ask(place!.path, { method: 'POST', form, key: one.key, ...(signal === undefined ? {} : { signal }) })
      remove(one)
    }
  }
  return { add, count: waiting.length, on, remove, send, waiting }
}

/** The files that wait, and a button that chooses more. */
export function Files({ files, place }: FilesProps): ReactNode {
  if (place === undefined) return null
  return (
    <div className="row files">
      <label className="button">
        {words().attach}
        <input
          className="unseen"
          multiple
          onChange={({ target }) => {
            files.add(target.files ?? [])
            target.value = ''
          }}
          type="file"
        />
      </label>
      {files.waiting.map((one) => (
        <span className="token" key={one.key}>
          <Preview file={one.file} />
          {one.file.name}
          <Button
            aria-label={words().removeFile(one.file.name)}
            className="button plain"
            onPress={() => files.remove(one)}
          >
            ×
          </Button>
        </span>
      ))}
    </div>
  )
}

interface FilesProps {
  readonly files: ReturnType<typeof useFiles>
  readonly place: FilePlace | undefined
}

const SIDE = 48

/** A small picture of a picture, drawn here, because the policy of the page takes pictures from the server alone. */
function Preview({ file }: { readonly file: File }): ReactNode {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [isDrawn, setDrawn] = useState(false)
  useEffect(() => {
    if (!file.type.startsWith('image/')) return
    createImageBitmap(file).then(
      (picture) => {
        const scale = Math.min(1, SIDE / Math.max(picture.width, picture.height))
        const [width, height] = [Math.ceil(picture.width * scale), Math.ceil(picture.height * scale)]
        if (canvas.current === null) return
        Object.assign(canvas.current, { width, height })
        canvas.current.getContext('2d')?.drawImage(picture, 0, 0, width, height)
        setDrawn(true)
      },
      () => undefined,
    )
  }, [file])
  return <canvas height={0} hidden={!isDrawn} ref={canvas} width={0} />
}
