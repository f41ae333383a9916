setTimeout(() => process.exit(), 300000);
console.log(`the second line has ${process.env.PORT}`);
