/** Problems with money, in customers' words. */
import type { Problem } from './problem.ts'

export const INVOICE: readonly Problem[] = [
  {
    subjects: ['Invoice {n} shows the wrong address', 'Our address on the bill is outdated'],
    details: [
      'Our office in {city} moved, but invoice {n} still carries the old address. Accounting cannot book it.',
      'Please correct the postal address on the bill of this month and send it again as PDF.',
    ],
  },
  {
    subjects: ['VAT number missing on invoice {n}', 'Tax is calculated wrongly'],
    details: [
      'Invoice {n} lacks our VAT number. Without it the tax office does not accept the document.',
      'We are exempt from sales tax, but {amount} of tax was added to the bill. The certificate is on file.',
    ],
  },
  {
    subjects: ['Where do I find old invoices?', 'Copies of bills for the auditor'],
    details: [
      'The auditor wants all invoices of last year. Is there a way to download the {few} of them at once?',
      'I need a copy of invoice {n}; the mail it came with was deleted.',
    ],
    priority: 'Low',
    type: 'Question',
  },
  {
    subjects: ['Amount on invoice {n} is too high', 'We are billed for seats we do not have'],
    details: [
      'The invoice lists {few} seats more than we use. According to our contract it should be {amount} less.',
      'The price per seat on bill {n} is not the one that was agreed in the offer.',
    ],
    priority: 'High',
  },
  {
    subjects: ['Purchase order number on our bills', 'Please print our cost centre'],
    details: [
      'Accounts payable rejects bills without a purchase order. Ours is {n}; please print it on each invoice.',
      'From next month every invoice must name the cost centre {n}. Where can this be entered?',
    ],
    type: 'Task',
  },
  {
    subjects: ['Reminder although we have paid', 'Dunning letter for invoice {n}'],
    details: [
      'We got a payment reminder for invoice {n}, which was transferred {day}. Please check your bookkeeping.',
      'Your reminder adds a late fee of {amount}. The bill was settled in time, see the attached statement.',
    ],
  },
]

export const REFUND: readonly Problem[] = [
  {
    subjects: ['Refund for order {n}', 'Still waiting for my money'],
    details: [
      'We returned order {n} two weeks ago and the refund of {amount} has not arrived.',
      'You promised the money back within five working days. It has been {few} and the bank shows nothing.',
    ],
  },
  {
    subjects: ['Charged twice in one month', 'Double payment with reference {n}'],
    details: [
      'Our card was charged twice with the same amount. Please give {amount} back.',
      'The statement shows two debits of {amount} for one order. One of them must be reversed.',
    ],
    priority: 'Critical',
    type: 'Incident',
  },
  {
    subjects: ['Cancelled, but still charged', 'Debit after cancellation'],
    details: [
      'I cancelled the subscription in spring, yet {amount} was taken from my card {day}. I want a refund.',
      'Our trial ended and we did not want to continue. Why was the card debited? Please reverse it.',
    ],
    priority: 'High',
    type: 'Incident',
  },
  {
    subjects: ['Credit note instead of a refund', 'Use our credit for the next bill'],
    details: [
      'We would rather have a credit note for {amount} than money back. Can you arrange this?',
      'There is credit of {amount} on our account. Will it be deducted by itself, or must we ask?',
    ],
    priority: 'Low',
  },
  {
    subjects: ['Refunded to the wrong card', 'The refund went to a closed account'],
    details: [
      'The refund went to a card that has expired. The bank says that it was sent back to you.',
      'You refunded {amount} to a bank account which we closed. Where is the money now?',
    ],
    type: 'Problem',
  },
  {
    subjects: ['Partial refund is too small', 'Refund {n} does not match'],
    details: [
      'We sent back {few} items and were refunded for one. The missing part is {amount}.',
      'The refunded sum lacks the shipping costs, which your terms say are included.',
    ],
    type: 'Problem',
  },
]

export const PAYMENT: readonly Problem[] = [
  {
    subjects: ['Card is declined', 'Payment fails at the last step'],
    details: [
      'Paying by credit card fails with "declined", though the bank sees no attempt at all.',
      'The payment page turns white after the bank has confirmed the {amount}. Was it paid or not?',
    ],
    type: 'Incident',
    priority: 'High',
  },
  {
    subjects: ['Pay by bank transfer', 'Switch from card to direct debit'],
    details: [
      'Our company no longer allows credit cards. Can we pay by transfer from now on?',
      'Please change our payment method to direct debit, starting with the next period.',
    ],
  },
  {
    subjects: ['Card expires next month', 'How to replace the payment card'],
    details: [
      'Our card expires soon. Where can the new number be entered without interrupting the subscription?',
      'I want to replace the stored card, but the old one cannot be removed from the payment settings.',
    ],
  },
  {
    subjects: ['Longer payment term', 'Sixty days to pay'],
    details: [
      'Our purchasing terms are sixty days. Can the due date of payments be changed from fourteen?',
      'Due to a holiday in {city} the transfer will be a week late. Please do not suspend our account.',
    ],
    priority: 'Low',
  },
  {
    subjects: ['Suspended although paid', 'Subscription stopped after a failed payment'],
    details: [
      'Our subscription was suspended {day} for a failed payment. The card works; {few} people cannot work.',
      'The account is blocked for an open balance of {amount}, which we paid by transfer last week.',
    ],
    type: 'Incident',
    priority: 'Critical',
  },
  {
    subjects: ['Charged in the wrong currency', 'Euros instead of dollars'],
    details: [
      'Since the renewal our card is charged in another currency, and the bank takes a fee of {amount}.',
      'Can the currency of our subscription be changed? Paying in a foreign one costs us each month.',
    ],
  },
]
