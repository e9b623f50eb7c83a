// Refunds one order. What is over the limit waits for a person: for a minute or for a week.
const order = await shop.orders.get({ id: "A-1001" });
console.log(`order ${order.id}: ${order.total} cents, ${order.state}`);
const refund = await shop.refunds.create({ order: order.id, amount: order.total });
console.log(`refunded ${refund.amount} cents`);
return refund;
