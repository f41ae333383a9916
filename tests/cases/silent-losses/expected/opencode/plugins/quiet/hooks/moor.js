const { put } = require("./shared/put")

put("MOOR=3")
