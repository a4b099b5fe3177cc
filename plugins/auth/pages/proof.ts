/** What pages ask where a proof of who is there is too old: a code, a passkey or the password, in a dialog. */

/** Declares `proved`, which does work that may ask for a proof; it needs the script that the pages share, and the dialog. */
export const PROOF = `
const asked = document.querySelector('dialog')

/* Asks for a proof, where the last one is too old, and then does the same once more. */
const proved = async (work) => {
  try {
    return await work()
  } catch (error) {
    if (error.code !== 'proof_required') throw error
  }
  const form = asked.querySelector('form')
  const hasFactor = (await send('GET', '/auth/factors')).data.length > 0
  form.querySelector('label').firstChild.textContent = hasFactor ? '{{Code of your app, or a recovery code}} ' : '{{Password}} '
  form.proof.type = hasFactor ? 'text' : 'password'
  form.proof.value = ''
  const byPasskey = form.querySelector('button.plain')
  byPasskey.hidden = !(hasFactor && hasPasskeys)
  const shown = form.querySelector('.notice')
  shown.textContent = ''
  asked.showModal()
  await new Promise((resolve, reject) => {
    const prove = async (body) => {
      try {
        await send('POST', '/auth/again', body)
        asked.onclose = null
        asked.close()
        resolve()
      } catch (error) {
        shown.textContent = error.message + '.'
      }
    }
    form.onsubmit = (event) => {
      event.preventDefault()
      prove(hasFactor ? { code: form.proof.value } : { password: form.proof.value })
    }
    byPasskey.onclick = async () => {
      try {
        const { data } = await send('POST', '/auth/passkey/options')
        await prove({ credential: await passkey(data) })
      } catch {
        shown.textContent = '{{The device gave no passkey.}}'
      }
    }
    asked.onclose = () => reject(new Error('{{Nothing was changed}}'))
  })
  return work()
}
asked.querySelector('[data-close]').onclick = () => asked.close()
`

export const PROOF_DIALOG = `<dialog aria-label="{{Prove that it is you}}"><form><h3>{{Prove that it is you}}</h3><label>{{Code}} <input name="proof" autocomplete="off" required></label>
<p class="notice bad" role="alert"></p><button>{{Go on}}</button><button type="button" class="plain" hidden>{{Use a passkey}}</button><button type="button" class="plain" data-close>{{Cancel}}</button></form></dialog>`

export const PROOF_STYLE = `
dialog { color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: .6rem; padding: 1.25rem; max-width: 24rem; width: calc(100% - 2rem) }
dialog form { display: grid; gap: .9rem }
`
